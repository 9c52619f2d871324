import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { IkigaiError } from "@ikigai/core";

/** The folder that a command was judged for. */
export interface JudgedFolder {
  /** Links are resolved, so that none leads out. */
  readonly path: string;
  /** Device and inode of the folder, whatever name it has later. */
  readonly device: number;
  readonly inode: number;
}

/** A folder that a process can be started in, held so that nobody can put another in its place. */
export interface HeldFolder extends AsyncDisposable {
  readonly path: string;
}

/** Contract: `not_found` when there is none, `permission_denied` when it lies outside `root`. */
export async function judgeFolder(root: string, cwd: string): Promise<JudgedFolder> {
  const missing = (cause: unknown): never => {
    throw new IkigaiError("not_found", `There is no folder ${JSON.stringify(cwd)}`, {
      hint: "Give a folder of the workspace, or leave cwd out.",
      cause,
    });
  };
  const path = await realpath(resolve(root, cwd)).catch(missing);
  const below = relative(root, path);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) {
    throw new IkigaiError("permission_denied", `The folder ${JSON.stringify(cwd)} lies outside the workspace`, {
      hint: "Run the command in a folder of the workspace.",
    });
  }
  const { dev: device, ino: inode } = await stat(path).catch(missing);
  return { path, device, inode };
}

/**
 * Opens the folder that was judged, so that what is started in it starts there.
 *
 * Contract: `conflict` when another folder has its place by now. Dispose it once the process has started. Where there is
 * no `/proc` the path itself is given, after the same check.
 */
export async function holdFolder({ path, device, inode }: JudgedFolder): Promise<HeldFolder> {
  const exchanged = (cause?: unknown): IkigaiError =>
    new IkigaiError("conflict", `The folder ${path} is another one than the command was judged for; nothing was run`, {
      hint: "Look at the folder, then run the command again.",
      ...(cause !== undefined && { cause }),
    });
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch((cause: unknown) => {
    throw exchanged(cause);
  });
  try {
    const found = await handle.stat();
    const place = await placeOf(handle);
    if (found.dev !== device || found.ino !== inode || (place !== undefined && place !== path)) throw exchanged();
    // A child has the open folder until it runs its program, and changes into it before: by the handle, not by the path.
    const held = place === undefined ? path : `/proc/self/fd/${handle.fd}`;
    return { path: held, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Where an open folder lies. Absent: the system does not say. */
async function placeOf(handle: FileHandle): Promise<string | undefined> {
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
}
