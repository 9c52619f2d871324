import type { ProjectTrust } from "./effective-config.ts";
import { escapeText, type Terminal } from "./terminal.ts";

/** Rows that are shown at once; a key shows the rest. */
const SHOWN_ROWS = 40;
/** Marks a row as the folder's own text, so that it cannot pass for ours. */
const FRAME = "  │ ";

/**
 * Asks where it is noticed whether to trust the folder.
 *
 * Contract: everything that would be trusted can be seen before a key answers; no answer is no.
 */
export async function askToTrust(terminal: Terminal, project: ProjectTrust): Promise<boolean> {
  const tell = (rows: readonly string[]): void => (terminal.tell ?? terminal.show)(rows.join("\n"));
  const { root, state } = project;
  const why = state.state === "changed" ? "changed since you trusted it" : "is not trusted yet";
  const rows = rowsOf(project);
  tell([`\nThe configuration of ${escapeText(root)} ${why}. Until you trust it, it has no effect.`]);
  tell(rows.slice(0, SHOWN_ROWS));
  let rest = rows.slice(SHOWN_ROWS);
  for (;;) {
    const more = rest.length === 0 ? {} : { d: `${rest.length} more lines` };
    const keys = { y: "trust it as it is", n: "not now", ...more };
    const key = await terminal.choose({ question: "Trust this folder?", keys });
    if (key !== "d") return key === "y";
    tell(rest);
    rest = [];
  }
}

/** What the folder brings, or what changed of it, each row framed. */
function rowsOf({ content, state }: ProjectTrust): string[] {
  const files =
    state.state === "changed"
      ? state.changes.map((one) => ({ path: `${one.change}: ${one.path}`, text: one.after ?? "" }))
      : content.map(({ path, text }) => ({ path, text: text ?? "" }));
  return files.flatMap(({ path, text }) => [
    `  ${escapeText(path)}`,
    ...text
      .trimEnd()
      .split(/\r\n|[\n\r\u2028\u2029]/)
      .map((line) => `${FRAME}${escapeText(line)}`),
  ]);
}
