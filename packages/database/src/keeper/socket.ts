import { closeSync, openSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

/** PostgreSQL clients find a local socket by folder and "port". */
export function socketPath(folder: string, port: number): string {
  return join(folder, `.s.PGSQL.${port}`);
}

/** The kernel takes at most 107 bytes for the path of a socket (103 on macOS), with up to 20 for the name. */
const MAX_FOLDER_BYTES = 80;
const opened = new Map<string, { readonly inode: number; readonly fd: number }>();

/**
 * A spelling of `folder` that leaves room for the name of a socket.
 *
 * Contract: on Linux a long one goes through a descriptor that stays open as long as the process; elsewhere it stays
 * long, and connecting fails.
 */
export function socketFolder(folder: string): string {
  if (Buffer.byteLength(folder) <= MAX_FOLDER_BYTES || process.platform !== "linux") return folder;
  const inode = statSync(folder).ino;
  let known = opened.get(folder);
  if (known?.inode !== inode) {
    if (known !== undefined) closeSync(known.fd);
    known = { inode, fd: openSync(folder, "r") };
    opened.set(folder, known);
  }
  return `/proc/self/fd/${known.fd}`;
}

/** Whether somebody listens. Contract: false only when the kernel says that nobody does. */
export async function probeSocket(store: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath(socketFolder(store), port));
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT");
    });
  });
}
