import { IkigaiError, messageOf } from "@ikigai/core";

/** Gives what SQLite throws a code that callers know. */
export function translate<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (IkigaiError.is(cause)) throw cause;
    const code = String((cause as { code?: unknown }).code);
    if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
      throw new IkigaiError("unavailable", `${what}: another program is writing to the database`, {
        hint: "Try again in a moment.",
        cause,
      });
    }
    if (code.startsWith("SQLITE_CONSTRAINT") || code === "SQLITE_MISMATCH") {
      throw new IkigaiError("invalid_input", `${what}: the table refuses it (${messageOf(cause)})`, {
        hint: "Choose a path and a text that the table's own rules allow.",
        cause,
      });
    }
    throw new IkigaiError("unavailable", `${what}: ${messageOf(cause)}`, { cause });
  }
}
