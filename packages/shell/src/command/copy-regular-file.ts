import { constants } from "node:fs";
import { open } from "node:fs/promises";

const PIECE = 1 << 20;

/**
 * Copies a file to a new one that only its owner may read.
 *
 * Contract: gives `to`, or `undefined` when no regular file is at `from`; follows no link and waits for no pipe.
 */
export async function copyRegularFile(from: string, to: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const source = await open(from, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ELOOP") return undefined;
    throw error;
  });
  if (source === undefined) return undefined;
  try {
    if (!(await source.stat()).isFile()) return undefined;
    await using target = await open(to, "wx", 0o600);
    const buffer = Buffer.alloc(PIECE);
    for (;;) {
      const { bytesRead } = await source.read(buffer, 0, PIECE);
      if (bytesRead === 0) return to;
      await target.writeFile(buffer.subarray(0, bytesRead));
    }
  } finally {
    await source.close();
  }
}
