import { createFrameIdScanner, type FrameIdScanner } from "./frame-id.ts";

/** One line of input: its text, or what is known of a line that was too long to keep. */
export type Frame =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "oversized"; readonly bytes: number; readonly id: string | number | undefined };

export interface FrameReader {
  /** Contract: calls back once per complete line, in order. Half a line waits for its rest. */
  readonly push: (chunk: Uint8Array) => void;
}

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines of at most `limit` bytes.
 *
 * Contract: a longer line costs no more memory than `limit`, is reported when it ends, and the next line is read as
 * usual. Empty lines are skipped.
 */
export function createFrameReader(limit: number, onFrame: (frame: Frame) => void): FrameReader {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let scanner: FrameIdScanner | undefined;

  function add(part: Uint8Array): void {
    bytes += part.length;
    if (scanner === undefined && bytes > limit) {
      scanner = createFrameIdScanner();
      for (const kept of parts) scanner.push(kept);
      parts = [];
    }
    if (scanner === undefined) parts.push(part);
    else scanner.push(part);
  }

  function finish(): void {
    const frame = scanner === undefined ? undefined : { kind: "oversized" as const, bytes, id: scanner.id };
    const text = frame === undefined ? Buffer.concat(parts).toString("utf8").trim() : "";
    parts = [];
    bytes = 0;
    scanner = undefined;
    if (frame !== undefined) onFrame(frame);
    else if (text !== "") onFrame({ kind: "text", text });
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
  };
}
