import { join } from "node:path";
import { type DataBlockDefinition, defineDataBlock } from "@ikigai/core";
import { z } from "zod";
import { createFileStore, type FileStore } from "../store/file-store.ts";

/** Opens the store in plain files of a folder, where a text has as many tokens as characters. */
export function openAssetFolder(
  folder: string,
  options: { readonly journal?: boolean; readonly countTokens?: (text: string) => number } = {},
): FileStore {
  return createFileStore({
    folder: join(folder, "files"),
    auditFile: join(folder, "audit.jsonl"),
    journalFile: join(folder, "journal.jsonl"),
    assetMount: "ikigai",
    titleOf: () => "",
    countTokens: (text) => text.length,
    ...options,
  });
}

/** The assets of a folder as a source whose options another process can take. */
export const fileAssetSource: DataBlockDefinition<{ folder: string }, "write" | "remove" | "watch" | "history"> =
  defineDataBlock<{ folder: string }, "write" | "remove" | "watch" | "history">({
    name: "FileAssets",
    capabilities: ["write", "remove", "watch", "history"],
    options: z.object({ folder: z.string() }),
    open: async ({ folder }) => openAssetFolder(folder, { journal: false, countTokens: () => 1 }).assets.open("ana"),
  });
