/**
 * Bytes that a command printed, as text.
 *
 * Contract: what is not UTF-8, and NUL, becomes U+FFFD. Escape sequences stay: they are data here, and whoever writes
 * to a terminal escapes them there.
 */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).replaceAll("\0", "\uFFFD");
}

/** `bytes` without the rest of a character that began before them. */
export function trimStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && isContinuation(bytes[start] as number)) start++;
  return bytes.subarray(start);
}

/** `bytes` without the beginning of a character that is not complete. */
export function trimEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (isContinuation(byte)) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
