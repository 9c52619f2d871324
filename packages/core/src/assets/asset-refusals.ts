import { IkigaiError } from "../errors.ts";

export function noAsset(path: string): IkigaiError {
  return new IkigaiError("not_found", `There is no asset "${path}"`, { hint: "List the assets to see their names." });
}

/** An asset changed between reading and writing. */
export function staleAsset(path: string): IkigaiError {
  return new IkigaiError("conflict", `"${path}" changed since it was read`, {
    hint: "Read it again, then reapply the change.",
  });
}

/** Contract: `conflict` unless the version is the expected one; `null` expects none, absent takes whatever it is. */
export function assertExpectedAsset(
  path: string,
  current: { readonly version: string } | undefined,
  expected: string | null | undefined,
): void {
  if (expected === undefined || (current?.version ?? null) === expected) return;
  if (expected === null) {
    throw new IkigaiError("conflict", `"${path}" already exists`, { hint: "Read it, then save over that version." });
  }
  throw staleAsset(path);
}

/** Contract: `permission_denied` for a read-only asset; `done` says what cannot be done to it, such as "removed". */
export function assertWritableAsset(
  { path, readOnly }: { readonly path: string; readonly readOnly: boolean },
  done: string,
): void {
  if (!readOnly) return;
  throw new IkigaiError("permission_denied", `"${path}" is read-only and cannot be ${done}`, {
    hint: "Ask the user to make it writable.",
  });
}
