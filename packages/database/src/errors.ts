import { type ErrorCode, IkigaiError, messageOf } from "@ikigai/core";

interface Translation {
  readonly code: ErrorCode;
  readonly hint: string;
}

const TRY_AGAIN: Translation = { code: "unavailable", hint: "Try again in a moment." };
const CHECK_URL: Translation = { code: "unavailable", hint: "Check the address of the database server." };
const BUSY: Translation = { code: "conflict", hint: "Read the present state, then try again." };
const SLOW: Translation = { code: "timeout", hint: "Ask for less at once, or allow more time." };

/** By SQLSTATE, or by its class of two characters, or by the code of a system error. */
const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  "08": TRY_AGAIN,
  "23505": BUSY,
  "25P03": SLOW,
  "28": { code: "permission_denied", hint: "Check the user and password of the database server." },
  "3D": CHECK_URL,
  "40": BUSY,
  "42501": { code: "permission_denied", hint: "Give the database user the rights to its schema." },
  "53": { code: "unavailable", hint: "Free space or connections on the database server." },
  "55P03": SLOW,
  "57014": SLOW,
  "57": TRY_AGAIN,
  "58": { code: "unavailable", hint: "Look into the log beside the store, or at its disk." },
  ECONNREFUSED: CHECK_URL,
  ECONNRESET: TRY_AGAIN,
  EHOSTUNREACH: CHECK_URL,
  ENOENT: CHECK_URL,
  ENOTFOUND: CHECK_URL,
  EPIPE: TRY_AGAIN,
  ETIMEDOUT: CHECK_URL,
};

/** What `pg` says without a code. */
const WORDS: readonly (readonly [RegExp, Translation])[] = [
  [/^Query read timeout/, SLOW],
  [/^timeout exceeded when trying to connect|^timeout expired/, CHECK_URL],
  [/^Connection terminated|^Client has encountered a connection error|Cannot use a pool after/, TRY_AGAIN],
  [/password/i, { code: "permission_denied", hint: "Check the user and password of the database server." }],
];

/**
 * What went wrong in the database, as an error of ours.
 *
 * Contract: keeps the cause; says nothing of statements, parameters or passwords; an error of ours stays as it is.
 */
export function toIkigaiError(error: unknown): IkigaiError {
  if (IkigaiError.is(error)) return error;
  const found = translate(error);
  if (found === undefined) {
    return new IkigaiError("internal", `The database refused a statement: ${messageOf(error)}`, { cause: error });
  }
  const message = `The database reports: ${messageOf(error) || (sqlState(error) ?? "no reason")}`;
  return new IkigaiError(found.code, message, { hint: found.hint, cause: error });
}

/** The SQLSTATE of an error of the database, or the code of a system error. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/** The database's own error behind one of ours. */
export function databaseCause(error: unknown): unknown {
  let cause = error;
  while (IkigaiError.is(cause) && cause.cause !== undefined) cause = cause.cause;
  return cause;
}

/** Whether the transaction failed only because of its neighbours, so that running it again is right. */
export function isCollision(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40001" || state === "40P01";
}

/**
 * Whether a connection's prepared statement is not there any more, or stands for a table as it was. The statement did
 * not run, and another connection would prepare it anew.
 */
export function isStaleStatement(error: unknown): boolean {
  const state = sqlState(error);
  if (state === "26000") return true;
  return state === "0A000" && (error as { routine?: unknown }).routine === "RevalidateCachedQuery";
}

/** Whether the connection is gone, so that nothing more is known of what it was doing. */
export function isConnectionLoss(error: unknown): boolean {
  if (IkigaiError.is(error)) return false;
  const state = sqlState(error);
  if (state === undefined) return /^Connection terminated|^Client has encountered/.test(messageOf(error));
  return /^(?:08...|57P0[123]|ECONNRESET|EPIPE|ECONNREFUSED|ENOENT)$/.test(state);
}

function translate(error: unknown): Translation | undefined {
  const state = sqlState(error);
  if (state !== undefined) return TRANSLATIONS[state] ?? TRANSLATIONS[state.slice(0, 2)];
  return WORDS.find(([words]) => words.test(messageOf(error)))?.[1];
}
