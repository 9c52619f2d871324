import { IkigaiError } from "@ikigai/core";

/** The errno name of what the operating system threw, such as `ENOENT`. */
export function errnoOf(thrown: unknown): string | undefined {
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" && !IkigaiError.is(thrown) ? code : undefined;
}

export function isErrno(thrown: unknown, ...names: readonly string[]): boolean {
  const name = errnoOf(thrown);
  return name !== undefined && names.includes(name);
}

/** What a failed system call means to the caller. What is no such failure is returned as it is. */
export function asSourceError(thrown: unknown, attempted: string): unknown {
  const errno = errnoOf(thrown);
  if (errno === undefined) return thrown;
  if (errno === "EACCES" || errno === "EPERM") {
    return new IkigaiError("permission_denied", `${attempted}: the operating system refuses it (${errno})`, {
      hint: "Ask the user to change the file's permissions, or choose another path.",
      cause: thrown,
    });
  }
  if (errno === "ENAMETOOLONG") {
    return new IkigaiError("invalid_input", `${attempted}: the name is too long for this disk`, {
      hint: "Use a shorter path.",
      cause: thrown,
    });
  }
  return new IkigaiError("unavailable", `${attempted}: ${REASONS[errno] ?? "the disk failed"} (${errno})`, {
    hint: "Tell the user; the file is as it was.",
    cause: thrown,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  EROFS: "the disk is read-only",
  EIO: "the disk reported an error",
  EMFILE: "too many files are open",
  ENOENT: "the folder is gone",
};

export function escapes(path: string): IkigaiError {
  return new IkigaiError("permission_denied", `${JSON.stringify(path)} leads out of the root through a link`, {
    hint: "Use a path whose links stay inside the root.",
  });
}

export function conflict(path: string, what = "file modified externally, use `file load` to refresh"): IkigaiError {
  return new IkigaiError("conflict", `${path}: ${what}`, {
    hint: "Load it again, then reapply the edit.",
  });
}

export function unsupported(path: string, what: string, hint: string): IkigaiError {
  return new IkigaiError("unsupported", `${path} ${what}`, { hint });
}
