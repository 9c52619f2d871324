import { toText, trimEnd, trimStart } from "./output-text.ts";

/** Tells a listener what is new in a flow of bytes, seldom enough that a flood costs nothing. */
export interface OutputNotifier {
  add(chunk: Buffer): void;
  /** Tells what is left. Nothing is told after it. */
  end(): void;
}

const EVERY_MS = 100;
const MAX_BYTES = 4_096;

/** Contract: `tell` gets pieces of at most 4 kB; of more than that within a tenth of a second, the end and a count. */
export function createNotifier(tell: (text: string) => void): OutputNotifier {
  let pending: Buffer = Buffer.alloc(0);
  let skipped = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(isLast: boolean): void {
    timer = undefined;
    const ready = isLast ? pending : trimEnd(pending);
    const rest = pending.subarray(ready.length);
    const note = skipped === 0 ? "" : `[… ${skipped} bytes …]\n`;
    const text = toText(skipped === 0 ? ready : trimStart(ready));
    pending = Buffer.from(rest);
    skipped = 0;
    if (text !== "") tell(`${note}${text}`);
  }

  return {
    add(chunk) {
      const joined = chunk.length >= MAX_BYTES ? chunk : Buffer.concat([pending, chunk]);
      skipped += pending.length + chunk.length - Math.min(joined.length, MAX_BYTES);
      pending = Buffer.from(joined.subarray(-MAX_BYTES));
      timer ??= setTimeout(flush, EVERY_MS, false);
    },
    end() {
      clearTimeout(timer);
      flush(true);
    },
  };
}
