import type { Socket } from "node:net";
import type { Engine } from "./engine.ts";
import { createStatements, type StatementNames, type Statements } from "./statements.ts";
import {
  type ClientRequest,
  createRequestReader,
  fatalError,
  NO_ENCRYPTION,
  queryMessage,
  readAnswer,
  welcome,
} from "./wire.ts";

export interface ServeOptions {
  /** How long a client may keep a transaction open without a word, in milliseconds. */
  readonly idleInTransactionMs: number;
  /** Told the number of clients whenever it changes. Who only looks whether somebody listens is none. */
  readonly onClients: (count: number) => void;
  /** The engine cannot go on. Contract: does not return to serving. */
  readonly onBroken: (reason: string) => void;
  /** Whether what was just done is where clients will look for it. Asked before they are answered. Default: always. */
  readonly intact?: () => boolean;
  /** Called around each piece of work, for a watchdog. */
  readonly onBusy: (busy: boolean) => void;
}

export interface Service {
  /** Takes a client in; before the engine is there it waits. */
  accept(socket: Socket): void;
  start(engine: Engine): void;
  /** Says why it ends, rolls back what is open and takes nobody in any more. */
  end(sqlState: string, reason: string): void;
}

interface Session {
  readonly socket: Socket;
  readonly batches: Buffer[];
  readonly statements: StatementNames;
  /** Absent until the client has said who it is. */
  searchPath: string | undefined;
  welcomed: boolean;
}

const SEARCH_PATH = /(?:^|\s)-c\s*search_path=([a-z0-9_,]+)/;
export const FOLDER_GONE = "the store's folder was removed or replaced";
const IDLE_IN_TRANSACTION = "25P03";
const NOT_SUPPORTED = "0A000";

/**
 * Serves many clients over the one session of an embedded engine, one transaction after the other.
 *
 * Contract: whoever is inside a transaction has the engine to himself; when he leaves it is rolled back. Between
 * transactions clients take turns. The search path of a client's start-up holds for its statements only, and the names
 * of its prepared statements are its own; notifications go to every client; anything else that outlives a transaction
 * is shared and must not be used.
 */
export function createService(options: ServeOptions): Service {
  const sessions = new Set<Session>();
  const waiting: Session[] = [];
  let engine: Engine | undefined;
  let statements: Statements | undefined;
  let owner: Session | undefined;
  let searchPath = "public";
  let scheduled = false;
  let ended = false;
  let idleTimer: NodeJS.Timeout | undefined;

  function countClients(): void {
    options.onClients([...sessions].filter(({ searchPath: path }) => path !== undefined).length);
  }

  function execute(on: Engine, messages: Buffer): ReturnType<typeof readAnswer> {
    options.onBusy(true);
    const answer = readAnswer(on.execute(messages));
    options.onBusy(false);
    if (answer.state === undefined || answer.fatal) options.onBroken("the engine gave up a statement");
    if (options.intact?.() === false) options.onBroken(FOLDER_GONE);
    for (const session of sessions) for (const note of answer.notifications) session.socket.write(note);
    return answer;
  }

  /** What the owner of a transaction has sent is served at once, and answered at once: nobody else may come in between. */
  function turn(on: Engine, statements: Statements): void {
    const session = owner ?? waiting.shift();
    if (session === undefined) return;
    clearTimeout(idleTimer);
    if (owner === undefined && session.searchPath !== undefined && session.searchPath !== searchPath) {
      searchPath = session.searchPath;
      execute(on, queryMessage(`set search_path to ${searchPath}`));
    }
    session.socket.cork();
    for (let batch = session.batches.shift(); batch !== undefined; batch = session.batches.shift()) {
      const { reply, state } = statements.run(session.statements, searchPath, batch);
      session.socket.write(reply);
      owner = state === "I" ? undefined : session;
      if (owner === undefined) break;
    }
    session.socket.uncork();
    if (owner !== undefined) expectMore(session);
    else if (session.batches.length > 0) waiting.push(session);
    schedule();
  }

  /** One turn per round of the event loop, so that sockets are read and timers run in between. */
  function schedule(): void {
    if (scheduled || ended || engine === undefined || statements === undefined) return;
    if (owner === undefined ? waiting.length === 0 : owner.batches.length === 0) return;
    scheduled = true;
    setImmediate(
      (on: Engine, prepared: Statements) => {
        scheduled = false;
        if (!ended) turn(on, prepared);
      },
      engine,
      statements,
    );
  }

  function expectMore(session: Session): void {
    idleTimer = setTimeout(() => {
      drop(session, fatalError(IDLE_IN_TRANSACTION, "terminating connection due to idle-in-transaction timeout"));
    }, options.idleInTransactionMs);
  }

  function drop(session: Session, farewell?: Buffer): void {
    if (!sessions.delete(session)) return;
    if (farewell === undefined) session.socket.destroy();
    else session.socket.end(farewell);
    const place = waiting.indexOf(session);
    if (place !== -1) waiting.splice(place, 1);
    if (owner === session && engine !== undefined && !ended) {
      clearTimeout(idleTimer);
      owner = undefined;
      execute(engine, queryMessage("rollback"));
    }
    if (session.searchPath !== undefined) countClients();
    schedule();
  }

  function handle(session: Session, request: ClientRequest): void {
    switch (request.kind) {
      case "encryption":
        session.socket.write(NO_ENCRYPTION);
        break;
      case "startup":
        session.searchPath = SEARCH_PATH.exec(request.parameters.get("options") ?? "")?.[1] ?? "public";
        countClients();
        if (engine !== undefined) greet(session, engine);
        break;
      case "batch":
        session.batches.push(request.bytes);
        if (session !== owner && session.batches.length === 1) waiting.push(session);
        schedule();
        break;
      case "refused":
        drop(session, fatalError(NOT_SUPPORTED, request.reason));
        break;
      case "end":
        drop(session);
        break;
    }
  }

  function greet(session: Session, on: Engine): void {
    session.welcomed = true;
    session.socket.write(welcome(on.parameters));
  }

  return {
    accept(socket) {
      if (ended) {
        socket.destroy();
        return;
      }
      const session: Session = { socket, batches: [], statements: new Map(), searchPath: undefined, welcomed: false };
      const read = createRequestReader();
      sessions.add(session);
      socket.on("data", (chunk: Buffer) => {
        for (const request of read(chunk)) if (sessions.has(session)) handle(session, request);
      });
      socket.on("error", () => drop(session));
      socket.on("close", () => drop(session));
    },
    start(opened) {
      engine = opened;
      statements = createStatements((messages) => execute(opened, messages));
      for (const session of sessions) if (session.searchPath !== undefined && !session.welcomed) greet(session, opened);
      schedule();
    },
    end(sqlState, reason) {
      if (owner !== undefined && engine !== undefined) execute(engine, queryMessage("rollback"));
      ended = true;
      clearTimeout(idleTimer);
      for (const session of sessions) session.socket.end(fatalError(sqlState, reason));
      sessions.clear();
    },
  };
}
