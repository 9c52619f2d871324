import { IkigaiError } from "@ikigai/core";

/** Longest name or address of a prompt, a resource or an argument, in characters. */
const MAX_NAME = 8_192;

/**
 * Refuses what no store, file or program takes in the params of a request that is no tool call.
 *
 * Contract: `invalid_input` names the field; the fields of `names` are bounded too.
 */
export function assertPlainParams(params: unknown, names: readonly string[]): void {
  check(params, "", new Set(names));
}

function check(value: unknown, field: string, names: ReadonlySet<string>): void {
  if (typeof value === "string") {
    if (names.has(field) && value.length > MAX_NAME) {
      throw new IkigaiError(
        "invalid_input",
        `${field} has ${value.length} characters, and at most ${MAX_NAME} are taken`,
      );
    }
    assertPlain(value, field);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      assertPlain(key, field === "" ? "a name" : `a name in ${field}`);
      check(one, field === "" ? key : `${field}.${key}`, names);
    }
  }
}

function assertPlain(text: string, field: string): void {
  const what = text.includes("\0") ? "a NUL character" : text.isWellFormed() ? undefined : "half of a surrogate pair";
  if (what !== undefined)
    throw new IkigaiError("invalid_input", `${field} contains ${what}`, { hint: "Leave it out." });
}
