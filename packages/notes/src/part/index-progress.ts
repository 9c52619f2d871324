import type { EmbedProgress } from "../search/note-vectors.ts";

/** Fewer notes than this are read before anyone wonders. */
export const WORTH_SHOWING = 200;
const WIDTH = 24;

/** Shows how far an index of notes, or their embedding, has come, on a line that goes away when it is done. */
export function createIndexProgress(
  status: (line: string) => void,
  doing: string = "Indexing notes",
): (progress: EmbedProgress) => void {
  let shown = false;
  return ({ done, total }) => {
    if (!shown && total - done < WORTH_SHOWING) return;
    shown = done < total;
    const filled = Math.floor((done / total) * WIDTH);
    const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
    status(shown ? `${doing} ${bar} ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : "");
  };
}
