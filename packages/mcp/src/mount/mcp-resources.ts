import { createHash } from "node:crypto";
import { type DataBlockDefinition, defineDataBlock, IkigaiError } from "@ikigai/core";
import type { MountedMcpServer } from "./mount-mcp-server.ts";
import { foreignTemplates, uriOf } from "./foreign-templates.ts";
import { resourcePaths } from "./resource-paths.ts";

const MAX_RESOURCES = 10_000;
/** What servers answer for a resource that they do not have: of 2025, and of 2026. */
const NOT_FOUND: ReadonlySet<number> = new Set([-32_002, -32_602]);

/** The resources of a mounted MCP server as a source of text that can only be read. */
export function mcpResources(server: MountedMcpServer): DataBlockDefinition<unknown, never> {
  return defineDataBlock<unknown>({
    name: "mcp-resources",
    capabilities: [],
    options: { "~standard": { version: 1, vendor: "ikigai-mcp", validate: (value) => ({ value }) } },
    guidance: (mount) => `${mount}:/// holds what the MCP server "${server.status().name}" offers to read.`,
    async open(_options, host) {
      let known: Promise<ReadonlyMap<string, string>> | undefined;
      const changes = server.onResourcesChanged(() => (known = undefined));
      const list = (): Promise<ReadonlyMap<string, string>> => {
        known ??= listPaths(server, (message) => host.warn(message)).catch((error: unknown) => {
          known = undefined;
          throw error;
        });
        return known;
      };
      return {
        permission: () => "read_only",
        async read(path, options) {
          const uri = (await list()).get(path);
          if (uri !== undefined) return readText(server, uri, options?.signal);
          const candidates = (await foreignTemplates(server)).flatMap(({ uriTemplate }) => uriOf(uriTemplate, path));
          return candidates[0] === undefined ? undefined : readUnlisted(server, candidates[0], options?.signal);
        },
        async *list(prefix) {
          known = undefined;
          for (const path of (await list()).keys()) if (path.startsWith(prefix)) yield { path };
        },
        async close() {
          changes[Symbol.dispose]();
        },
      };
    },
  });
}

async function listPaths(
  server: MountedMcpServer,
  warn: (message: string) => void,
): Promise<ReadonlyMap<string, string>> {
  const uris = await server.use(async (client) => {
    if (client.getServerCapabilities()?.resources === undefined) return [];
    const { resources } = await client.listResources(undefined, { cacheMode: "bypass" });
    return resources.map(({ uri }) => uri);
  });
  if (uris.length > MAX_RESOURCES) warn(`only the first ${MAX_RESOURCES} of ${uris.length} resources are offered`);
  const paths = [...resourcePaths(uris.slice(0, MAX_RESOURCES))];
  return new Map(paths.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

/** Contract: `undefined` for what the server says it does not have. */
async function readUnlisted(
  server: MountedMcpServer,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<{ text: string; version: string } | undefined> {
  try {
    return await readText(server, uri, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && NOT_FOUND.has(Number(error.code))) return undefined;
    throw error;
  }
}

async function readText(
  server: MountedMcpServer,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<{ text: string; version: string }> {
  const { contents } = await server.use((client) =>
    client.readResource({ uri }, { cacheMode: "bypass", ...(signal !== undefined && { signal }) }),
  );
  const texts = contents.flatMap((part) => ("text" in part ? [part.text] : []));
  if (texts.length === 0) {
    throw new IkigaiError("unsupported", `${uri} is not text`, { hint: "Choose another resource." });
  }
  const text = texts.join("\n");
  return { text, version: createHash("sha256").update(text).digest("hex") };
}
