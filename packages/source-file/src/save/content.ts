import { isUtf8 } from "node:buffer";
import { createHash, hash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { IkigaiError } from "@ikigai/core";
import { closeQuietly } from "../place/directory.ts";
import { isErrno, unsupported } from "../file-errors.ts";
import type { FileOps, OpenFile } from "../file-ops.ts";
import type { Place } from "../place/walk.ts";

/** The bytes of a file and what its inode said when they were read. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly stat: Stats;
}

/** Bytes and their version, which is computed once. */
export interface Versioned {
  readonly bytes: Buffer;
  readonly version: string;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
const OPEN_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
const CHUNK = 64 * 1024;

/** Names the text: equal bytes have equal versions, wherever and whenever they were written. */
export function versionOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex").slice(0, 32);
}

/** The version of what an open file holds, found out in pieces. */
export async function versionInside(handle: OpenFile, ops: FileOps, size: number): Promise<string> {
  const digest = createHash("sha256");
  const piece = Buffer.allocUnsafe(Math.min(CHUNK, size + 1));
  for (let done = 0; ;) {
    const read = await ops.read(handle, piece, 0, piece.length, done);
    if (read === 0) return digest.digest("hex").slice(0, 32);
    digest.update(piece.subarray(0, read));
    done += read;
  }
}

/**
 * Reads the file at `place`.
 *
 * Contract: `undefined` when nothing is there; `unsupported` for anything but a regular file of at most `maxBytes`,
 * without opening a device or a pipe and without reading what is too large.
 */
export function readPlace(place: Place, ops: FileOps, maxBytes: number): Promise<FileBytes | undefined> {
  return withRegular(place, ops, async (handle, stat) => {
    if (stat.size > maxBytes) throw tooLarge(place.resolved, stat.size, maxBytes);
    const bytes = await readAll(handle, ops, stat.size, maxBytes, place.resolved);
    return { bytes, stat };
  });
}

/**
 * Whether the file at `place` holds exactly `bytes`, found out in pieces.
 *
 * Contract: `undefined` when nothing is there; `unsupported` for anything but a regular file.
 */
export function placeHolds(place: Place, bytes: Buffer, ops: FileOps): Promise<boolean | undefined> {
  return withRegular(place, ops, async (handle) => {
    const piece = Buffer.allocUnsafe(Math.min(CHUNK, bytes.length + 1));
    for (let done = 0; ;) {
      const read = await ops.read(handle, piece, 0, piece.length, done);
      if (read === 0) return done === bytes.length;
      if (!piece.subarray(0, read).equals(bytes.subarray(done, done + read))) return false;
      done += read;
    }
  });
}

async function withRegular<Result>(
  place: Place,
  ops: FileOps,
  use: (handle: OpenFile, stat: Stats) => Promise<Result>,
): Promise<Result | undefined> {
  if (place.stat === undefined) return undefined;
  assertRegular(place.resolved, place.stat);
  const handle = await openFile(place, ops);
  if (handle === undefined) return undefined;
  try {
    const stat = await ops.stat(handle);
    assertRegular(place.resolved, stat);
    const result = await use(handle, stat);
    await place.directory.verify();
    return result;
  } finally {
    await closeQuietly(handle, ops);
  }
}

/** Contract: throws `unsupported` for what is not text, so that no byte of it can be changed by accident. */
export function assertText(path: string, bytes: Uint8Array): void {
  const binary = (what: string): IkigaiError =>
    unsupported(
      path,
      `is binary: ${what}`,
      "The file tools read, move and delete text only: use a command such as mv or rm, or ask the user.",
    );
  const zero = bytes.indexOf(0);
  if (zero !== -1) throw binary(`a NUL byte at offset ${zero}`);
  if (!isUtf8(bytes)) throw binary("not valid UTF-8");
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
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = await ops.read(handle, buffer, length, buffer.length - length, length);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
    if (length > maxBytes) throw tooLarge(path, length, maxBytes);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(CHUNK)]);
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
