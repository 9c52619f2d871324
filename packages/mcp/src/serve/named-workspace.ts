import { fileURLToPath } from "node:url";
import { isAbsolute } from "node:path";
import { IkigaiError } from "@ikigai/core";
import type { ServerContext } from "@modelcontextprotocol/server";
import type { McpServerOptions } from "./server-options.ts";

/** The key of `_meta` by which a request names the folder that it is about. */
const WORKSPACE_KEY = "ikigai/workspace";

/** What is served of one workspace. */
export type WorkspaceParts = Pick<McpServerOptions, "registry" | "resources" | "prompts">;

/** The folder that a request names, as a path. Contract: `invalid_input` for what is no absolute path of this machine. */
export function namedWorkspace({ mcpReq }: Pick<ServerContext, "mcpReq">): string | undefined {
  const named: unknown = mcpReq._meta?.[WORKSPACE_KEY];
  if (named === undefined) return undefined;
  try {
    const path = typeof named === "string" && named.startsWith("file:") ? fileURLToPath(named) : named;
    if (typeof path === "string" && isAbsolute(path)) return path;
  } catch {
    // A URI of another machine: no folder here either.
  }
  throw new IkigaiError("invalid_input", `${WORKSPACE_KEY} does not name a folder of this machine`, {
    hint: "Give an absolute path, or a file: URI.",
  });
}

/** Runs `work` in the workspace that the request names, and otherwise in the server's own. */
export async function inNamedWorkspace<T>(
  context: Pick<ServerContext, "mcpReq">,
  options: McpServerOptions,
  work: (parts: WorkspaceParts) => Promise<T>,
): Promise<T> {
  const folder = namedWorkspace(context);
  if (folder === undefined) return work(options);
  if (options.inWorkspace === undefined) {
    throw new IkigaiError("unsupported", "This server has one workspace, and a request cannot name another", {
      hint: `Leave ${WORKSPACE_KEY} out.`,
    });
  }
  return options.inWorkspace(folder, work);
}
