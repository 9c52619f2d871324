import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { type Effect, IkigaiError, messageOf } from "@ikigai/core";
import type { Audit } from "@ikigai/core/host";
import { carriesMark } from "@ikigai/core/process";
import { createAudit, fileSink } from "@ikigai/memory";
import { makePrivateFolder } from "@ikigai/permission";
import type { Place } from "../place/place.ts";
import { waitingFiles } from "../store/waiting-files.ts";

/** A change that a subcommand makes because a person asked for it in a shell. */
export interface ActOfAPerson {
  /** The subcommand, such as `recall erase`. */
  readonly command: string;
  readonly effect: Effect;
  /** Arguments of the subcommand. Contract: holds no secret value. */
  readonly input?: Readonly<Record<string, unknown>>;
}

const LAYER = "command line";

/**
 * Makes a change that no policy is asked for, since a person typed it, and writes it down like a call: before it is made,
 * and how it ended.
 *
 * Contract: what cannot be written down does not happen. Rows wait in a file until the store takes them in, so that a
 * command which needs no store opens none.
 */
export async function actOfAPerson<T>(
  place: Pick<Place, "stateDirectory" | "storeUrl" | "agent">,
  { command, effect, input = {} }: ActOfAPerson,
  act: () => Promise<T>,
): Promise<T> {
  const audit: Audit = createAudit(fileSink(waitingFiles(place).auditFile, { sync: true }));
  const [by, reason] = whoDecided();
  const facts = {
    tool: `ikigai ${command}`,
    agent: place.agent,
    conversation: `shell-${process.pid}`,
    callId: randomUUID(),
    verdicts: [
      {
        effect,
        decision: "allow" as const,
        needs: "person" as const,
        trace: [{ layer: LAYER, decision: "allow" as const, reason }],
      },
    ],
  };
  try {
    await makePrivateFolder(place.stateDirectory);
    await audit.intent({ ...facts, input, approvedBy: by });
  } catch (cause) {
    throw new IkigaiError("unavailable", `Nothing was done, because it cannot be written down: ${messageOf(cause)}`, {
      cause,
    });
  }
  try {
    const done = await act();
    await audit.outcome({ ...facts, outcome: "success" });
    return done;
  } catch (error) {
    const outcome = IkigaiError.is(error) ? error.code : "internal";
    await audit.outcome({ ...facts, outcome, error: messageOf(error) });
    throw error;
  }
}

/** Who is behind a subcommand, and why it is not asked for. A command of an agent is known by its call. */
function whoDecided(): readonly [by: string, reason: string] {
  const call = process.env["IKIGAI_CALL_ID"];
  if (call !== undefined) return [`the command of call ${call}`, "a command that was allowed runs it"];
  if (carriesMark()) return ["a program that ikigai started", "a command, a hook or a server runs it"];
  return [`${userInfo().username}, at the command line`, "a person at the command line decided it"];
}
