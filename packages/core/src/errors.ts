/** Stable reasons a call can fail. Codes are API within a major version; messages are not. */
export type ErrorCode =
  | "not_found"
  | "ambiguous"
  | "conflict"
  | "invalid_input"
  | "permission_denied"
  | "over_budget"
  | "unsupported"
  | "unavailable"
  | "timeout"
  | "aborted"
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
