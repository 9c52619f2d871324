import type { MemoryPermission } from "@ikigai/core";
import type { PathLock } from "./lock/path-lock.ts";
import type { Root } from "./place/directory.ts";
import type { PlaceGuard } from "./place/place-guard.ts";
import type { Contention } from "./save/contention.ts";
import type { SaveContext } from "./save/write-new-file.ts";

/** What a store of files is made of. */
export interface FileStoreParts {
  readonly root: Root;
  readonly lock: PathLock;
  readonly save: SaveContext;
  readonly contention: Contention;
  readonly maxBytes: number;
  readonly guard: PlaceGuard;
  /** Permission that the rules give a path, without resolving links. */
  readonly permission: (path: string) => MemoryPermission;
}
