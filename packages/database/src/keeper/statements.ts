import { type EngineAnswer, messagesOf, wireMessage } from "./wire.ts";

/** The names a client gave to its statements, each with what it stands for. */
export type StatementNames = Map<string, string>;

export interface Statements {
  /** Runs a client's messages. Contract: its names are its own; `scope` is what else decides what they mean. */
  run(names: StatementNames, scope: string, batch: Buffer): EngineAnswer;
}

/** A plan is made for the tables as they are, and these grow. */
const RENEW_AFTER = 1_000;
const MAX_STATEMENTS = 200;

const letter = (char: string): number => char.charCodeAt(0);
const PARSE = letter("P");
const BIND = letter("B");
const DESCRIBE = letter("D");
const CLOSE = letter("C");
const PARSE_COMPLETE = letter("1");
const COMMAND_COMPLETE = letter("C");
const ERROR = letter("E");
const STATEMENT = letter("S");
const SYNC = wireMessage("S");
/** What leaves definitions as they are. */
const HARMLESS = /^(?:SELECT|INSERT|UPDATE|DELETE|BEGIN|COMMIT|ROLLBACK|SET|FETCH|LISTEN)\b/;
/** Of a plan whose table is not what it was, and of a statement that is not there. */
const STALE = /\0C(?:0A000|26000)\0/;

interface Made {
  readonly statement: string;
  readonly name: string;
  /** Whether the client asked for it, and so hears of it. */
  readonly asked: boolean;
}

/**
 * Prepared statements of many clients over the one session of an engine: what several prepare alike is there once.
 *
 * Contract: forgotten, and made again when next used, after any change of a definition and once in a while.
 */
export function createStatements(execute: (messages: Buffer) => EngineAnswer): Statements {
  const known = new Map<string, string>();
  let count = 0;
  let runs = 0;

  function forget(): void {
    runs = 0;
    if (known.size === 0) return;
    const closing = [...known.values()].map((name) => wireMessage("C", Buffer.from(`S${name}\0`)));
    known.clear();
    execute(Buffer.concat([...closing, SYNC]));
  }

  function translate(names: StatementNames, scope: string, batch: Buffer): Translation {
    const messages: Buffer[] = [];
    const made: Made[] = [];
    let spared = 0;
    /** The engine's name of a statement, which is made where it is not there yet. */
    const nameIn = (statement: string, asked: boolean): string => {
      const there = known.get(statement) ?? made.find((one) => one.statement === statement)?.name;
      if (there !== undefined) {
        if (asked) spared += 1;
        return there;
      }
      count += 1;
      const name = `k${count}`;
      made.push({ statement, name, asked });
      const body = Buffer.from(statement.slice(statement.indexOf("\0") + 1), "latin1");
      messages.push(wireMessage("P", Buffer.from(`${name}\0`), body));
      return name;
    };
    for (const message of messagesOf(batch)) {
      const type = message[0];
      if (type === PARSE) {
        const [name, end] = readName(message, 5);
        if (name === "") {
          made.push({ statement: "", name, asked: true });
          messages.push(message);
        } else {
          const statement = `${scope}\0${message.toString("latin1", end)}`;
          names.set(name, statement);
          nameIn(statement, true);
        }
      } else if (type === BIND) {
        const [portal, middle] = readName(message, 5);
        const [name, end] = readName(message, middle);
        const statement = names.get(name);
        // A name that the client never gave reaches nobody else's statement.
        const found = statement === undefined ? name && `?${name}` : nameIn(statement, false);
        messages.push(
          name === ""
            ? message
            : wireMessage("B", Buffer.from(`${portal}\0${found}\0`, "latin1"), message.subarray(end)),
        );
      } else if ((type === DESCRIBE || type === CLOSE) && message[5] === STATEMENT) {
        const [name] = readName(message, 6);
        const statement = names.get(name);
        const found = statement === undefined || type === CLOSE ? name && `?${name}` : nameIn(statement, false);
        if (type === CLOSE) names.delete(name);
        messages.push(wireMessage(String.fromCharCode(type), Buffer.from(`S${found}\0`, "latin1")));
      } else messages.push(message);
    }
    return { messages, made, spared };
  }

  return {
    run(names, scope, batch) {
      runs += 1;
      if (runs > RENEW_AFTER || known.size > MAX_STATEMENTS) forget();
      if (batch[0] !== PARSE && batch[0] !== BIND) return watched(execute(batch));
      const { messages, made, spared } = translate(names, scope, batch);
      const answer = execute(Buffer.concat(messages));
      const { reply, parsed } = takeOut(answer.reply, made);
      for (const { statement, name } of made.slice(0, parsed)) if (statement !== "") known.set(statement, name);
      const complete = Array.from({ length: spared }, () => wireMessage("1"));
      return watched({ ...answer, reply: Buffer.concat([...complete, ...reply]) });
    },
  };

  function watched(answer: EngineAnswer): EngineAnswer {
    if (changesDefinitions(answer.reply)) forget();
    return answer;
  }
}

interface Translation {
  readonly messages: readonly Buffer[];
  /** In the order in which the engine will tell of them. */
  readonly made: readonly Made[];
  /** How many the client asked for that were there already. */
  readonly spared: number;
}

/** Takes the answers to what the client did not ask for out of a reply, and counts all that there were. */
function takeOut(reply: Buffer, made: readonly Made[]): { reply: readonly Buffer[]; parsed: number } {
  if (made.length === 0) return { reply: [reply], parsed: 0 };
  let parsed = 0;
  const kept: Buffer[] = [];
  for (const message of messagesOf(reply)) {
    if (message[0] !== PARSE_COMPLETE) kept.push(message);
    else {
      if (made[parsed]?.asked === true) kept.push(message);
      parsed += 1;
    }
  }
  return { reply: kept, parsed };
}

function changesDefinitions(reply: Buffer): boolean {
  for (const message of messagesOf(reply)) {
    if (message[0] === COMMAND_COMPLETE && !HARMLESS.test(message.toString("latin1", 5))) return true;
    if (message[0] === ERROR && STALE.test(message.toString("latin1"))) return true;
  }
  return false;
}

/** A text that ends with a zero, and where what follows it begins. */
function readName(message: Buffer, from: number): readonly [string, number] {
  const end = message.indexOf(0, from);
  return [message.toString("latin1", from, end), end + 1];
}
