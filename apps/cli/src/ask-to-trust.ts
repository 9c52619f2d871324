import { confirmAbout, type Question } from "./ask-about.ts";
import type { ProjectTrust } from "./effective-config.ts";
import { diffLines } from "./render-diff.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Asks where it is noticed whether to trust the folder.
 *
 * Contract: everything that would be trusted can be seen before a key answers; no answer is no.
 */
export async function askToTrust(terminal: Terminal, project: ProjectTrust): Promise<boolean> {
  const why = project.state.state === "changed" ? "changed since you trusted it" : "is not trusted yet";
  const heading = `The configuration of ${project.root} ${why}. Until you trust it, it has no effect.`;
  return confirmAbout(terminal, trustQuestion(project, heading), "Trust this folder?");
}

/** What a folder brings, or what changed of it since it was trusted. */
export function trustQuestion({ content, state }: Pick<ProjectTrust, "content" | "state">, heading: string): Question {
  const changes =
    state.state === "changed"
      ? state.changes
      : content.map(({ path, text }) => ({ path, change: "added" as const, after: text }));
  return {
    heading,
    change: changes.flatMap(({ path, change, ...texts }) => [
      `@@ ${change}: ${path} @@`,
      ...diffLines("before" in texts ? (texts.before ?? "") : "", texts.after ?? ""),
    ]),
  };
}
