import { type AnyTool, type DataBlockDefinition, defineDataBlock } from "@ikigai/core";
import { HOST_MOUNT } from "@ikigai/core/host";
import { createFileTool } from "./tool/file-tool.ts";
import type { Root } from "./place/directory.ts";
import { type FileBlock, openFileSource, partsOf } from "./open-file-source.ts";
import { type FileSourceOptions, fileSourceOptions } from "./options.ts";
import { walk } from "./place/walk.ts";

/**
 * A folder on disk as a source of text.
 *
 * Contract: no path leads out of the folder; saves are durable and lose nobody's edit; what is not UTF-8 text is refused
 * and stays as it is. Mounted beside a block service it brings the tool `file`.
 */
export const fileSource: DataBlockDefinition<FileSourceOptions, "write" | "remove" | "watch"> = defineDataBlock({
  name: "file",
  capabilities: ["write", "remove", "watch"],
  options: fileSourceOptions,
  guidance: (mount) =>
    `${mount}:/// holds ${mount === HOST_MOUNT ? "the files of this machine outside the workspace" : "the files of a folder on disk"}. ` +
    "Use the file tool to load a file into a block, edit the block, look at the diff and save. Nothing reaches the disk before save. When a save answers " +
    "conflict somebody else changed the file: load it again and reapply the edit. Lists leave out what .gitignore names.",
  open: (options: FileSourceOptions, host) => openFileSource(options, host),
  tools(source, host): readonly AnyTool[] {
    const { blocks } = host.services;
    const parts = partsOf(source);
    const name = parts?.tool ?? (host.mount === HOST_MOUNT ? false : "file");
    if (blocks === undefined || name === false) return [];
    return [
      createFileTool({
        name,
        blocks,
        source,
        exists: async (path) => parts !== undefined && (await isAt(parts.root, path)),
        names: { mount: host.mount, realPath: parts?.root.realPath, label: (path) => source.label?.(path) ?? path },
        list: (prefix, shallow) => listBelow(source, prefix, shallow),
      }),
    ];
  },
});

function isAt(root: Root, path: string): Promise<boolean> {
  return walk(root, path, async (place) => place?.stat !== undefined);
}

function listBelow(source: FileBlock, prefix: string, shallow: boolean): ReturnType<FileBlock["list"]> {
  return (shallow ? partsOf(source)?.listFolder(prefix) : undefined) ?? source.list(prefix);
}
