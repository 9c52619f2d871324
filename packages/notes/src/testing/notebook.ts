import { createSourceManager, type SourceManager } from "@ikigai/core/host";
import { createNoteIndex } from "../index-store/create-note-index.ts";
import type { NoteIndex } from "../index-store/note-index.ts";
import { createKnowledgeRepository } from "../repository/create-repository.ts";
import type { KnowledgeRepository, KnowledgeRepositoryOptions } from "../repository/knowledge-repository.ts";
import { createMemoryBlock, type MemoryBlock, memorySource } from "./memory-block.ts";

/** Notes in memory with everything above them. */
export interface Notebook {
  readonly block: MemoryBlock;
  readonly sources: SourceManager;
  readonly index: NoteIndex;
  readonly repository: KnowledgeRepository;
}

/** Mounts notes as `file`, and further ones under their names. */
export async function openNotebook(
  notes: Readonly<Record<string, string>> | MemoryBlock,
  options: Partial<KnowledgeRepositoryOptions> & { readonly mounts?: Readonly<Record<string, MemoryBlock>> } = {},
): Promise<Notebook> {
  const block = isBlock(notes) ? notes : createMemoryBlock(notes);
  const { mounts = {}, ...rest } = options;
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: memorySource(block) });
  for (const [mount, other] of Object.entries(mounts)) await sources.mount({ mount, source: memorySource(other) });
  const index = createNoteIndex({ sources });
  await index.refresh();
  return { block, sources, index, repository: createKnowledgeRepository({ sources, index, ...rest }) };
}

function isBlock(notes: Readonly<Record<string, string>> | MemoryBlock): notes is MemoryBlock {
  return typeof notes["read"] === "function";
}
