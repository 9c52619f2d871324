import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { IkigaiError } from "@ikigai/core";
import { closeQuietly } from "./directory.ts";
import { isErrno, unsupported } from "./file-errors.ts";
import type { FileOps, OpenFile } from "./file-ops.ts";
import type { Place } from "./walk.ts";

/** The bytes of a file and what its inode said when they were read. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly stat: Stats;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
const OPEN_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
const CHUNK = 64 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Names the text: equal bytes have equal versions, wherever and whenever they were written. */
export function versionOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}

/**
 * Reads the file at `place`.
 *
 * Contract: `undefined` when nothing is there; `unsupported` for anything but a regular file of at most `maxBytes`,
 * without opening a device or a pipe and without reading what is too large.
 */
export async function readPlace(place: Place, ops: FileOps, maxBytes: number): Promise<FileBytes | undefined> {
  if (place.stat === undefined) return undefined;
  assertRegular(place.resolved, place.stat);
  const handle = await openFile(place, ops);
  if (handle === undefined) return undefined;
  try {
    const stat = await ops.stat(handle);
    assertRegular(place.resolved, stat);
    if (stat.size > maxBytes) throw tooLarge(place.resolved, stat.size, maxBytes);
    const bytes = await readAll(handle, ops, stat.size, maxBytes, place.resolved);
    await place.directory.verify();
    return { bytes, stat };
  } finally {
    await closeQuietly(handle, ops);
  }
}

/** Contract: throws `unsupported` for what is not text, so that no byte of it can be changed by accident. */
export function decodeText(path: string, bytes: Uint8Array): string {
  const binary = (what: string): IkigaiError =>
    unsupported(path, `is binary: ${what}`, "Use a tool that is made for this kind of file.");
  const zero = bytes.indexOf(0);
  if (zero !== -1) throw binary(`a NUL byte at offset ${zero}`);
  try {
    return utf8.decode(bytes);
  } catch {
    throw binary("not valid UTF-8");
  }
}

/** The bytes of `text`. Contract: throws for text that would not read back as itself. */
export function encodeText(path: string, text: string, maxBytes: number): Buffer {
  if (!text.isWellFormed() || text.includes("\0")) {
    const what = text.isWellFormed() ? "a NUL character" : "half of a surrogate pair";
    throw new IkigaiError("invalid_input", `The text for ${path} contains ${what}`, { hint: "Write plain text." });
  }
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes);
  return bytes;
}

async function openFile(place: Place, ops: FileOps): Promise<OpenFile | undefined> {
  try {
    return await ops.open(place.directory.at(place.name), OPEN_FILE);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    if (isErrno(error, "ELOOP", "ENXIO")) throw notRegular(place.resolved, "was exchanged for something else");
    throw error;
  }
}

export async function readAll(
  handle: OpenFile,
  ops: FileOps,
  size: number,
  maxBytes: number,
  path: string,
): Promise<Buffer> {
  let buffer = Buffer.alloc(size + 1);
  let length = 0;
  for (;;) {
    const read = await ops.read(handle, buffer, length, buffer.length - length, length);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
    if (length > maxBytes) throw tooLarge(path, length, maxBytes);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(CHUNK)]);
  }
}

function assertRegular(path: string, stat: Stats): void {
  if (stat.isFile()) return;
  if (stat.isDirectory()) throw notRegular(path, "is a folder, not a file");
  if (stat.isFIFO()) throw notRegular(path, "is a pipe");
  if (stat.isSocket()) throw notRegular(path, "is a socket");
  throw notRegular(path, "is a device");
}

function notRegular(path: string, what: string): IkigaiError {
  return unsupported(path, what, "Only regular files can be read and written.");
}

function tooLarge(path: string, size: number, maxBytes: number): IkigaiError {
  return unsupported(
    path,
    `has ${size} bytes, more than the ${maxBytes} bytes that are allowed`,
    "Work on a part of it with grep or a shell command.",
  );
}
