import { type DataBlockDefinition, defineDataBlock } from "@ikigai/core";
import { openFileSource } from "./open-file-source.ts";
import { type FileSourceOptions, fileSourceOptions } from "./options.ts";

/** A folder on disk as a source of text. */
export const fileSource: DataBlockDefinition<FileSourceOptions, "write" | "remove"> = defineDataBlock({
  name: "file",
  capabilities: ["write", "remove"],
  options: fileSourceOptions,
  open: (options: FileSourceOptions, host) => openFileSource(options, host),
});
