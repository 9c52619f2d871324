import { type DataBlockDefinition, defineDataBlock } from "@ikigai/core";
import { openGitSource } from "./open-git-source.ts";
import { type GitSourceOptions, gitSourceOptions } from "./options.ts";

/**
 * The files of a commit or a branch, without checking it out.
 *
 * Contract: reads the repository's objects only, so the work tree and the index play no part; runs no program that the
 * repository names. Versions are the names git gives to contents.
 */
export const gitSource: DataBlockDefinition<GitSourceOptions, "history"> = defineDataBlock({
  name: "git",
  capabilities: ["history"],
  options: gitSourceOptions,
  guidance: (mount) =>
    `${mount}:/// holds the files of a git repository as they were committed. It cannot be written to; its history says ` +
    "who changed a file, when and why.",
  open: (options: GitSourceOptions, host) => openGitSource(options, host),
});
