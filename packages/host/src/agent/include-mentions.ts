import { resolve } from "node:path";
import { expandPrompt, type TextSpan } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import { decidingReason } from "@ikigai/core/host";
import type { Host } from "../host.ts";
import type { Place } from "../place/place.ts";

export interface IncludeOptions {
  readonly host: Pick<Host, "sources" | "policy" | "protection">;
  readonly place: Pick<Place, "root" | "agent">;
  /** Asks the person whether what `heading` names goes along. Absent: nobody is there, and it is refused. */
  readonly confirm?: (heading: string) => Promise<boolean>;
}

const FACTS = { tool: "@", conversation: "" };

/**
 * A message with the texts that its `@` markers name, and what to tell the person about them.
 *
 * Contract: what lies outside the workspace or is protected goes along only after a yes; with nobody to ask it is
 * `permission_denied`. What a rule denies stays out. An `@` that leads to nothing stays text.
 */
export async function includeMentions(
  text: string,
  pasted: readonly TextSpan[],
  { host, place, confirm }: IncludeOptions,
): Promise<{ readonly text: string; readonly lines: readonly string[] }> {
  const { sources, policy, protection } = host;

  async function mayInclude(uri: string): Promise<boolean> {
    const facts = { ...FACTS, agent: place.agent };
    const verdict = await policy.judge({ action: "read", target: uri }, facts);
    if (verdict.decision === "deny") return false;
    // Reading what is protected is free to tools, which show it. Here a slip of the finger would send it.
    const guarded = await protection.judge({ action: "update", target: uri.replace(/\/$/, "") }, facts);
    const isGuarded = guarded.decision !== "allow";
    if (verdict.decision === "allow" && !isGuarded) return true;
    const reason = isGuarded ? "it is protected" : decidingReason(verdict);
    if (confirm === undefined) {
      throw new IkigaiError("permission_denied", `${uri} is not sent along: ${reason}, and nobody can be asked`, {
        hint: "Put the @ in backticks to keep it as text, or run it at a terminal and answer there.",
      });
    }
    return confirm(`${uri} would go along: ${reason}.`);
  }

  const expansion = await expandPrompt(text, {
    sources,
    plain: pasted,
    mayInclude,
    addressOutside: (path) => resolve(place.root, path),
  });
  return {
    text: expansion.text,
    lines: [
      ...expansion.included.map(({ uri, lines }) => `+ ${uri} (${lines} ${lines === 1 ? "line" : "lines"})`),
      ...expansion.left.map(({ marker, reason }) =>
        reason === "refused" ? `- ${marker} stays out` : `${marker} is no file here, so it is sent as text`,
      ),
    ],
  };
}
