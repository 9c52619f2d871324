import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { IkigaiError } from "@ikigai/core";

export interface SmallFile {
  readonly bytes: Buffer;
  /** Stats of the file when its bytes were read. */
  readonly stats: Stats;
}

const MAX_BYTES = 1_048_576;

/**
 * The bytes of a configuration or trust file.
 *
 * Contract: `undefined` when there is none. Opened once, so that what is checked is what is read; a pipe, a device, a folder
 * or one of more than `maxBytes` (default 1,048,576) is `unavailable` at once, and is neither waited for nor read.
 */
export async function readSmallFile(path: string, maxBytes: number = MAX_BYTES): Promise<SmallFile | undefined> {
  let handle: FileHandle | undefined;
  try {
    // Looked at first, because opening a device may do something.
    assertRegular(path, await stat(path));
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const stats = await handle.stat();
    assertRegular(path, stats);
    return { bytes: await readUpTo(handle, path, maxBytes), stats };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (IkigaiError.is(error)) throw error;
    throw new IkigaiError("unavailable", `${path} cannot be read`, {
      hint: "Check that it is a file that you may read.",
      cause: error,
    });
  } finally {
    await handle?.close();
  }
}

async function readUpTo(handle: FileHandle, path: string, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  const part = Buffer.alloc(65_536);
  for (let total = 0; ;) {
    const { bytesRead } = await handle.read(part, 0, part.length, null);
    if (bytesRead === 0) return Buffer.concat(parts);
    total += bytesRead;
    if (total > maxBytes) {
      throw new IkigaiError("unavailable", `${path} holds more than the ${maxBytes} bytes that such a file may have`, {
        hint: "Make it smaller, or move it away.",
      });
    }
    parts.push(Buffer.from(part.subarray(0, bytesRead)));
  }
}

function assertRegular(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  const kind = stats.isDirectory()
    ? "a folder"
    : stats.isFIFO()
      ? "a pipe"
      : stats.isSocket()
        ? "a socket"
        : "a device";
  throw new IkigaiError("unavailable", `${path} is ${kind} and not a regular file`, {
    hint: "Put a regular file there, or move it away.",
  });
}
