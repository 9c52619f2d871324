import { IkigaiError } from "@ikigai/core";
import { carriesMark } from "@ikigai/core/process";

/**
 * Whether this process may speak for a person: no host started it, nor one that it descends from.
 *
 * Contract: false inside a command of an agent, whatever became of its environment, and in a hook or a mounted server.
 */
export function isPerson(): boolean {
  return process.env["IKIGAI_CALL_ID"] === undefined && !carriesMark();
}

/**
 * Refuses a decision that is a person's to a command that an agent runs.
 *
 * Contract: `permission_denied` inside a command of an agent, whatever was approved for that command.
 */
export function assertPerson(what: string): void {
  if (isPerson()) return;
  throw new IkigaiError("permission_denied", `A command of an agent cannot ${what}`, {
    hint: "Do it in a terminal of your own.",
  });
}
