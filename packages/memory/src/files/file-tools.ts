import type { AnyTool } from "@ikigai/core";
import { createSeenVersions, type SeenVersions, type SourceManager } from "@ikigai/core/host";
import { createFileDelete } from "./file-delete.ts";
import { createFileEdit } from "./file-edit.ts";
import { createFileMove } from "./file-move.ts";
import { createFileRead } from "./file-read.ts";
import { createFileWrite } from "./file-write.ts";

export interface FileToolsOptions {
  readonly sources: SourceManager;
  /** What each conversation has seen. Default: kept in memory, for these tools alone. */
  readonly seen?: SeenVersions;
}

/** `file_read`, `file_write`, `file_edit`, `file_delete` and `file_move` over everything that is mounted. */
export function createFileTools({ sources, seen = createSeenVersions() }: FileToolsOptions): readonly AnyTool[] {
  return [
    createFileRead(sources, seen),
    createFileWrite(sources, seen),
    createFileEdit(sources, seen),
    createFileDelete(sources),
    createFileMove(sources),
  ];
}
