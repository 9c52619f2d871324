import type { AnyTool } from "@ikigai/core";
import { createSeenVersions, type SeenVersions } from "@ikigai/core/host";
import type { KnowledgeRepository } from "../repository/knowledge-repository.ts";
import { createReadTools } from "./read-tools.ts";
import { createRenameTool } from "./rename-tool.ts";
import { createSearchTools } from "./search-tools.ts";
import { createTagTools } from "./tag-tools.ts";
import { createUpdateTool } from "./update-tool.ts";
import { createWriteTools } from "./write-tools.ts";

export interface NoteToolsOptions {
  readonly repository: KnowledgeRepository;
  /** Shared with other tools that show text, if there are any. Default: one of its own. */
  readonly seen?: SeenVersions;
}

/** What the tools are built with. */
export type NoteToolsContext = Required<NoteToolsOptions>;

/** The tools of notes, ready to be registered. */
export function createNoteTools(options: NoteToolsOptions): readonly AnyTool[] {
  const context: NoteToolsContext = { ...options, seen: options.seen ?? createSeenVersions() };
  return [
    ...createReadTools(context),
    ...createWriteTools(context),
    createUpdateTool(context),
    createRenameTool(context),
    ...createSearchTools(context),
    ...createTagTools(context),
  ];
}
