import { IkigaiError, type MemoryPermission } from "@ikigai/core";
import { conflict } from "../file-errors.ts";

/** Refuses a change of a file that is not in the version that is expected. `expected` of `null`: it must not exist. */
export function assertExpected(path: string, present: string | undefined, expected: string | null | undefined): void {
  if (expected === undefined || (expected ?? undefined) === present) return;
  if (expected === null) {
    throw new IkigaiError("conflict", `${path} exists already`, { hint: "Choose another path, or load the file." });
  }
  throw present === undefined ? conflict(path, "the file was removed since it was loaded") : conflict(path);
}

/** A file by the path that was named, and by the one that it leads to. */
export interface NamedFile {
  readonly path: string;
  readonly resolved: string;
}

/** The change of a file's text that is asked for. */
export interface TextChange {
  /** Text that the file has. Absent: there is no file, or it was not read yet. */
  readonly before: Buffer | undefined;
  readonly after: Buffer;
}

/** Refuses a write that the rules rule out, by the path that was named and by the one that it leads to. */
export function assertWritable(
  { path, resolved }: NamedFile,
  permission: (path: string) => MemoryPermission,
  { before, after }: TextChange,
): void {
  for (const one of new Set([path, resolved])) {
    const level = permission(one);
    const appends = before === undefined || after.subarray(0, before.length).equals(before);
    if (level === "read_only" || (level === "append" && !appends)) throw ruledOut(one, level, "be overwritten");
  }
}

/** Refuses a removal that the rules rule out. */
export function assertRemovable({ path, resolved }: NamedFile, permission: (path: string) => MemoryPermission): void {
  for (const one of new Set([path, resolved])) {
    const level = permission(one);
    if (level === "read_only" || level === "append") throw ruledOut(one, level, "be removed");
  }
}

function ruledOut(path: string, level: MemoryPermission, what: string): IkigaiError {
  return new IkigaiError("permission_denied", `${path} is ${level} by the rules of its source and may not ${what}`, {
    hint: "Do not retry; choose another path or ask the user.",
  });
}

/** The error that there is no such file. */
export function absent(path: string): IkigaiError {
  return new IkigaiError("not_found", `There is no file ${path}`, { hint: "List the folder to see what there is." });
}
