/** The id of a JSON-RPC message, found without keeping the message. */
export interface FrameIdScanner {
  push(bytes: Uint8Array): void;
  /** Contract: `undefined` unless the top-level object has shown an `id` that is a string or a number. */
  readonly id: string | number | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const MAX_TOKEN = 256;

/**
 * Watches a message go by that is too large to keep, so that its sender can still be told which request failed.
 *
 * Contract: memory is bounded whatever is pushed; an id longer than 256 bytes is not found.
 */
export function createFrameIdScanner(): FrameIdScanner {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let token: number[] = [];
  let key: string | undefined;
  let id: string | number | undefined;

  function take(byte: number): void {
    if (depth === 1 && token.length <= MAX_TOKEN) token.push(byte);
  }

  function endValue(): void {
    const value = key === "id" ? parsed(token) : undefined;
    if (typeof value === "string" || typeof value === "number") id = value;
    key = undefined;
    token = [];
  }

  function step(byte: number): void {
    if (inString) {
      take(byte);
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inString = false;
      return;
    }
    if (byte === QUOTE) {
      inString = true;
      take(byte);
    } else if (OPENING.has(byte)) {
      // A nested value is no id: what follows the key no longer parses as one.
      take(byte);
      depth++;
      if (depth === 1) token = [];
    } else if (CLOSING.has(byte)) {
      if (depth === 1) endValue();
      depth--;
    } else if (depth === 1 && byte === COLON && key === undefined) {
      const name = parsed(token);
      key = typeof name === "string" ? name : "";
      token = [];
    } else if (depth === 1 && byte === COMMA) {
      endValue();
    } else {
      take(byte);
    }
  }

  return {
    push(bytes) {
      for (const byte of bytes) step(byte);
    },
    get id() {
      return id;
    },
  };
}

function parsed(token: readonly number[]): unknown {
  if (token.length > MAX_TOKEN) return undefined;
  try {
    return JSON.parse(Buffer.from(token).toString("utf8"));
  } catch {
    return undefined;
  }
}
