import { IkigaiError } from "@ikigai/core";

/**
 * Refuses a decision that is a person's to a command that an agent runs.
 *
 * Contract: `permission_denied` inside a command of an agent, whatever was approved for that command.
 */
export function assertPerson(what: string): void {
  if (process.env["IKIGAI_CALL_ID"] === undefined) return;
  throw new IkigaiError("permission_denied", `A command of an agent cannot ${what}`, {
    hint: "Do it in a terminal of your own.",
  });
}
