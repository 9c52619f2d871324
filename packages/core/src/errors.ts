/** Stable reasons a call can fail. Codes are API within a major version; messages are not. */
export type ErrorCode =
  /** Nothing is at that path, or has that name or id. */
  | "not_found"
  /** Several things are meant by that name; `details` lists the candidates. */
  | "ambiguous"
  /** The text is not what the caller saw, or exists already. Nothing was changed: read again, then repeat. */
  | "conflict"
  /** The call itself is wrong: it does not parse, a field is missing or refused. */
  | "invalid_input"
  /** A rule forbids it, a person said no, or there was nobody to ask. */
  | "permission_denied"
  /** The text would not fit into the budget beside what is pinned; the message has both numbers. */
  | "over_budget"
  /** This source or this kind of text cannot do that, such as writing to a read-only place. */
  | "unsupported"
  /** A place cannot be reached, or a tool is no longer offered. It may work later. */
  | "unavailable"
  /** The call took longer than its time limit. */
  | "timeout"
  /** The caller stopped it. */
  | "aborted"
  /** A defect: the operator sees the stack, the caller only that it failed. */
  | "internal";

export interface IkigaiErrorOptions {
  /** What the caller can do next, in one imperative sentence. Shown to the model. */
  readonly hint?: string;
  /** Facts a program may act on, such as the candidates of an ambiguous name. Plain JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

const BRAND = Symbol.for("ikigai.error");

/**
 * A failure the caller may act on. Anything else that is thrown is a bug.
 *
 * Contract: recognise it with {@link IkigaiError.is}, never with `instanceof`, because two copies of
 * core may be installed side by side.
 */
export class IkigaiError extends Error {
  override readonly name = "IkigaiError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: IkigaiErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Whether `value` is such an error, and, when `code` is given, of that code. */
  static is(value: unknown, code?: ErrorCode): value is IkigaiError {
    if (!(value instanceof Error) || !(BRAND in value)) return false;
    return code === undefined || (value as { code?: unknown }).code === code;
  }
}

/** What a thrown value says, whatever it is. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A message and what to do about it, as sentences. */
export function withHint(message: string, hint: string | undefined): string {
  if (hint === undefined) return message;
  return `${message}${/[.!?…]$/.test(message) ? "" : "."} ${hint}`;
}
