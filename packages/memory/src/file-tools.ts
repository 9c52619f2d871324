import type { AnyTool, SourceManager } from "@ikigai/core";
import { createFileEdit } from "./file-edit.ts";
import { createFileRead } from "./file-read.ts";
import { createFileWrite } from "./file-write.ts";
import { createSeenVersions, type SeenVersions } from "./seen-versions.ts";

export interface FileToolsOptions {
  readonly sources: SourceManager;
  /** What each conversation has seen. Default: kept in memory, for these tools alone. */
  readonly seen?: SeenVersions;
}

/** `file_read`, `file_write` and `file_edit` over everything that is mounted. */
export function createFileTools({ sources, seen = createSeenVersions() }: FileToolsOptions): readonly AnyTool[] {
  return [createFileRead(sources, seen), createFileWrite(sources, seen), createFileEdit(sources, seen)];
}
