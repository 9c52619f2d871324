import type { IndexProgress } from "@ikigai/notes";

/** Fewer notes than this are read before anyone wonders. */
const WORTH_SHOWING = 200;
const WIDTH = 24;

/** Shows how far an index of notes has come, on a line that goes away when it is done. */
export function createIndexProgress(status: (line: string) => void): (progress: IndexProgress) => void {
  let shown = false;
  return ({ done, total }) => {
    if (!shown && total - done < WORTH_SHOWING) return;
    shown = done < total;
    const filled = Math.floor((done / total) * WIDTH);
    const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
    status(shown ? `Indexing notes ${bar} ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : "");
  };
}
