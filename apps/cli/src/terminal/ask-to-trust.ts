import { diffLines } from "@ikigai/host/policy";
import { confirmAbout, type Question } from "./ask-about.ts";
import type { Terminal } from "./terminal.ts";
import type { FolderState, ProjectTrust } from "@ikigai/host/trust";

/**
 * Asks where it is noticed whether to trust the folder.
 *
 * Contract: everything that would be trusted can be seen before a key answers; no answer is no.
 */
export async function askToTrust(terminal: Terminal, project: ProjectTrust): Promise<boolean> {
  const { root, state } = project;
  const why = state.state === "unknown" ? "is not trusted yet" : "changed since you trusted it";
  const heading =
    state.state === "trusted"
      ? `A file in ${root} changed since you trusted what may run anything in this folder.`
      : `The configuration of ${root} ${why}. Until you trust it, it has no effect.`;
  return confirmAbout(terminal, await trustQuestion(project, heading), "Trust this folder?");
}

const SHOWN_CHANGES = 200;

/** What a folder brings, or what changed of it since it was trusted. */
export async function trustQuestion(project: ProjectTrust, heading: string): Promise<Question> {
  const { content, state, anything } = project;
  const changes =
    state.state === "changed"
      ? state.changes
      : state.state === "trusted"
        ? []
        : content.map(({ path, text }) => ({ path, change: "added" as const, after: text }));
  const folder = await project.lookAtFolder();
  return {
    heading,
    ...(folder !== undefined && { lines: folderLines(anything, folder) }),
    change: changes.flatMap(({ path, change, ...texts }) => [
      `@@ ${change}: ${path} @@`,
      ...diffLines("before" in texts ? (texts.before ?? "") : "", texts.after ?? ""),
    ]),
  };
}

/** What trust means where not everything that runs can be known. */
function folderLines(anything: readonly string[], { files, changes }: FolderState): string[] {
  const told = changes ?? [];
  return [
    ...anything.map((one) => `May run anything in this folder: ${one}`),
    `To trust it is to trust anything in this folder, ${files} files as they are now. After a change in it, the next run asks again.`,
    ...told.slice(0, SHOWN_CHANGES).map(({ change, path }) => `${change}: ${path}`),
    ...(told.length > SHOWN_CHANGES ? [`and ${told.length - SHOWN_CHANGES} more`] : []),
  ];
}
