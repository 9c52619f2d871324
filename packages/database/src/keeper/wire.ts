/** The little of PostgreSQL's wire protocol that the keeper has to understand: frames, start-up, errors. */

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
const PROTOCOL_3 = 196_608;
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

const letter = (char: string): number => char.charCodeAt(0);
const QUERY = letter("Q");
const SYNC = letter("S");
const TERMINATE = letter("X");
const READY = letter("Z");
const NOTIFICATION = letter("A");
const ERROR = letter("E");

/** Messages a client sends as parts of one extended query, ended by Sync. */
const PARTS: ReadonlySet<number> = new Set(["P", "B", "D", "E", "C"].map(letter));

/** What a client asked for. */
export type ClientRequest =
  | { readonly kind: "encryption" }
  | { readonly kind: "startup"; readonly parameters: ReadonlyMap<string, string> }
  /** Messages that belong together, up to the point where the client waits for an answer. */
  | { readonly kind: "batch"; readonly bytes: Buffer }
  | { readonly kind: "end" }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Cuts a client's bytes into requests, wherever the chunks are torn.
 *
 * Contract: after `end` or `refused` it yields nothing more.
 */
export function createRequestReader(): (chunk: Buffer) => ClientRequest[] {
  let chunks: Buffer[] = [];
  let waiting = 0;
  let wanted = 0;
  let buffer: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let started = false;
  let ended = false;

  function next(): ClientRequest | "part" | undefined {
    const header = started ? 5 : 4;
    if (buffer.length < header) return undefined;
    const size = buffer.readInt32BE(header - 4) + header - 4;
    if (size < (started ? 5 : 8) || size > MAX_MESSAGE_BYTES) return refuse(`a message of ${size} bytes`);
    if (buffer.length < size) {
      wanted = size;
      return undefined;
    }
    const message = buffer.subarray(0, size);
    buffer = buffer.subarray(size);
    return started ? readMessage(message) : readStartup(message);
  }

  function readStartup(message: Buffer): ClientRequest {
    const code = message.readInt32BE(4);
    if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: "encryption" };
    if (code === CANCEL_REQUEST) return { kind: "end" };
    if (code !== PROTOCOL_3) return refuse(`protocol ${code >> 16}.${code & 0xffff}`);
    started = true;
    return { kind: "startup", parameters: readParameters(message.subarray(8)) };
  }

  function readMessage(message: Buffer): ClientRequest | "part" {
    const type = message[0] ?? 0;
    if (type === TERMINATE) return { kind: "end" };
    if (type !== QUERY && type !== SYNC && !PARTS.has(type)) return refuse(`message "${String.fromCharCode(type)}"`);
    parts.push(message);
    if (PARTS.has(type)) return "part";
    const bytes = Buffer.concat(parts);
    parts = [];
    return { kind: "batch", bytes };
  }

  return (chunk) => {
    chunks.push(chunk);
    waiting += chunk.length;
    if (waiting < wanted) return [];
    buffer = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    wanted = 0;
    const requests: ClientRequest[] = [];
    while (!ended) {
      const request = next();
      if (request === undefined) break;
      if (request === "part") continue;
      requests.push(request);
      ended = request.kind === "end" || request.kind === "refused";
    }
    chunks = [buffer];
    waiting = buffer.length;
    return requests;
  };
}

function refuse(what: string): ClientRequest {
  return { kind: "refused", reason: `${what} is not supported here` };
}

function readParameters(body: Buffer): Map<string, string> {
  const words = body.toString("utf8").split("\0");
  const parameters = new Map<string, string>();
  for (let index = 0; index + 1 < words.length && words[index] !== ""; index += 2) {
    parameters.set(words[index] ?? "", words[index + 1] ?? "");
  }
  return parameters;
}

/** An answer of the engine, taken apart as far as the keeper needs it. */
export interface EngineAnswer {
  /** For the client that asked. */
  readonly reply: Buffer;
  /** For everybody. */
  readonly notifications: readonly Buffer[];
  /** Idle, in a transaction, in a failed one; absent when the engine broke off. */
  readonly state: "I" | "T" | "E" | undefined;
  readonly fatal: boolean;
}

export function readAnswer(bytes: Uint8Array): EngineAnswer {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept: Buffer[] = [];
  const notifications: Buffer[] = [];
  let state: EngineAnswer["state"];
  let fatal = false;
  for (const message of messagesOf(all)) {
    const type = message[0];
    if (type === NOTIFICATION) {
      notifications.push(message);
      continue;
    }
    kept.push(message);
    state = type === READY ? (String.fromCharCode(message[5] ?? 0) as "I" | "T" | "E") : undefined;
    fatal ||= type === ERROR && /^.{5}S(FATAL|PANIC)\0/s.test(message.toString("latin1"));
  }
  return { reply: Buffer.concat(kept), notifications, state, fatal };
}

/** The messages one after the other. */
export function* messagesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at + 5 <= bytes.length;) {
    const size = bytes.readInt32BE(at + 1) + 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** A simple query, as a client would send it. */
export function queryMessage(sql: string): Buffer {
  return wireMessage("Q", cstring(sql));
}

/** Welcomes a client whose start-up was accepted. */
export function welcome(parameters: Readonly<Record<string, string>>): Buffer {
  const facts = Object.entries(parameters).map(([name, value]) => wireMessage("S", cstring(name), cstring(value)));
  return Buffer.concat([
    wireMessage("R", int32(0)),
    ...facts,
    wireMessage("K", int32(process.pid), int32(0)),
    wireMessage("Z", Buffer.from("I")),
  ]);
}

/** Refuses encryption, which a socket that only its owner can open does not need. */
export const NO_ENCRYPTION: Buffer = Buffer.from("N");

/** An error after which the connection ends. */
export function fatalError(sqlState: string, text: string): Buffer {
  const fields = [`SFATAL`, `VFATAL`, `C${sqlState}`, `M${text}`].map(cstring);
  return wireMessage("E", ...fields, Buffer.from([0]));
}

export function wireMessage(type: string, ...body: readonly Buffer[]): Buffer {
  const content = Buffer.concat(body);
  return Buffer.concat([Buffer.from(type), int32(content.length + 4), content]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function cstring(text: string): Buffer {
  return Buffer.from(`${text}\0`, "utf8");
}
