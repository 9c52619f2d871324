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
const IDLE_FAREWELL = fatalError(IDLE_IN_TRANSACTION, "terminating connection due to idle-in-transaction timeout");
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
  const sessions = createSessions(options.onClients);
  const turns = createTurns(sessions, options);
  return {
    accept(socket) {
      if (turns.hasEnded) {
        socket.destroy();
        return;
      }
      const session: Session = { socket, batches: [], statements: new Map(), searchPath: undefined, welcomed: false };
      const read = createRequestReader();
      sessions.all.add(session);
      socket.on("data", (chunk: Buffer) => {
        for (const request of read(chunk)) if (sessions.all.has(session)) handle(session, request, sessions, turns);
      });
      socket.on("error", () => turns.drop(session));
      socket.on("close", () => turns.drop(session));
    },
    start(opened) {
      turns.start(opened);
      for (const session of sessions.all)
        if (session.searchPath !== undefined && !session.welcomed) greet(session, opened);
      turns.schedule();
    },
    end(sqlState, reason) {
      turns.end();
      for (const session of sessions.all) session.socket.end(fatalError(sqlState, reason));
      sessions.all.clear();
    },
  };
}

/** The clients that are connected. */
interface Sessions {
  readonly all: Set<Session>;
  /** Tells how many of them have said who they are. */
  count(): void;
}

function createSessions(onClients: ServeOptions["onClients"]): Sessions {
  const all = new Set<Session>();
  return {
    all,
    count: () => onClients([...all].filter(({ searchPath }) => searchPath !== undefined).length),
  };
}

/** Whose turn it is to use the engine. */
interface Turns {
  /** Absent: the engine is not there yet. */
  readonly engine: Engine | undefined;
  readonly hasEnded: boolean;
  start(engine: Engine): void;
  /** A client has sent a batch. */
  take(session: Session, batch: Buffer): void;
  /** Serves the next client soon, if one waits. */
  schedule(): void;
  drop(session: Session, farewell?: Buffer): void;
  /** Rolls back what is open, and serves nobody any more. */
  end(): void;
}

function createTurns(sessions: Sessions, options: ServeOptions): Turns {
  const waiting: Session[] = [];
  const idle = createIdleTimer(options.idleInTransactionMs);
  let engine: Engine | undefined;
  let statements: Statements | undefined;
  let owner: Session | undefined;
  let searchPath = "public";
  let scheduled = false;
  let ended = false;

  /** What the owner of a transaction has sent is served at once, and answered at once: nobody else may come in between. */
  function turn(on: Engine, prepared: Statements): void {
    const session = owner ?? waiting.shift();
    if (session === undefined) return;
    idle.stop();
    if (owner === undefined && session.searchPath !== undefined && session.searchPath !== searchPath) {
      searchPath = session.searchPath;
      executeOn(on, queryMessage(`set search_path to ${searchPath}`), sessions, options);
    }
    session.socket.cork();
    for (let batch = session.batches.shift(); batch !== undefined; batch = session.batches.shift()) {
      const { reply, state } = prepared.run(session.statements, searchPath, batch);
      session.socket.write(reply);
      owner = state === "I" ? undefined : session;
      if (owner === undefined) break;
    }
    session.socket.uncork();
    if (owner !== undefined) idle.start(() => turns.drop(session, IDLE_FAREWELL));
    else if (session.batches.length > 0) waiting.push(session);
    turns.schedule();
  }

  const turns: Turns = {
    get engine() {
      return engine;
    },
    get hasEnded() {
      return ended;
    },
    start(opened) {
      engine = opened;
      statements = createStatements((messages) => executeOn(opened, messages, sessions, options));
    },
    take(session, batch) {
      session.batches.push(batch);
      if (session !== owner && session.batches.length === 1) waiting.push(session);
      turns.schedule();
    },
    /** One turn per round of the event loop, so that sockets are read and timers run in between. */
    schedule() {
      if (scheduled || ended || engine === undefined || statements === undefined) return;
      if (owner === undefined ? waiting.length === 0 : owner.batches.length === 0) return;
      scheduled = true;
      const serve = (on: Engine, prepared: Statements): void => {
        scheduled = false;
        if (!ended) turn(on, prepared);
      };
      setImmediate(serve, engine, statements);
    },
    drop(session, farewell) {
      if (!sessions.all.delete(session)) return;
      if (farewell === undefined) session.socket.destroy();
      else session.socket.end(farewell);
      const place = waiting.indexOf(session);
      if (place !== -1) waiting.splice(place, 1);
      if (owner === session && engine !== undefined && !ended) {
        idle.stop();
        owner = undefined;
        executeOn(engine, queryMessage("rollback"), sessions, options);
      }
      if (session.searchPath !== undefined) sessions.count();
      turns.schedule();
    },
    end() {
      if (owner !== undefined && engine !== undefined) executeOn(engine, queryMessage("rollback"), sessions, options);
      ended = true;
      idle.stop();
    },
  };
  return turns;
}

/** Ends the transaction of a client that says nothing for too long. */
function createIdleTimer(afterMs: number): { start(ended: () => void): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    start(ended) {
      timer = setTimeout(ended, afterMs);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Runs messages in the engine, and passes its notifications on to every client. */
function executeOn(
  engine: Engine,
  messages: Buffer,
  { all }: Sessions,
  { onBusy, onBroken, intact }: ServeOptions,
): ReturnType<typeof readAnswer> {
  onBusy(true);
  const answer = readAnswer(engine.execute(messages));
  onBusy(false);
  if (answer.state === undefined || answer.fatal) onBroken("the engine gave up a statement");
  if (intact?.() === false) onBroken(FOLDER_GONE);
  for (const session of all) for (const note of answer.notifications) session.socket.write(note);
  return answer;
}

function handle(session: Session, request: ClientRequest, sessions: Sessions, turns: Turns): void {
  switch (request.kind) {
    case "encryption":
      session.socket.write(NO_ENCRYPTION);
      break;
    case "startup":
      session.searchPath = SEARCH_PATH.exec(request.parameters.get("options") ?? "")?.[1] ?? "public";
      sessions.count();
      if (turns.engine !== undefined) greet(session, turns.engine);
      break;
    case "batch":
      turns.take(session, request.bytes);
      break;
    case "refused":
      turns.drop(session, fatalError(NOT_SUPPORTED, request.reason));
      break;
    case "end":
      turns.drop(session);
      break;
  }
}

function greet(session: Session, { parameters }: Engine): void {
  session.welcomed = true;
  session.socket.write(welcome(parameters));
}
