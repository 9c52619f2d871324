import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { ToolTrust, TrustRequest } from "@ikigai/mcp";
import { createJsonFile, type JsonFile } from "@ikigai/permission";
import { z } from "zod";
import type { McpServerConfig } from "../configuration/server-config.ts";

interface TrustedTool {
  /** Name of the server and how it is reached. */
  readonly server: string;
  readonly tool: string;
  readonly sha256: string;
  /** Text that a model was told of the tool. Absent: it was too long to keep. */
  readonly text?: string | undefined;
}

const trustedTool = z.strictObject({
  server: z.string(),
  tool: z.string(),
  sha256: z.string(),
  text: z.string().optional(),
});
export const trustedTools: z.ZodType<{ readonly tools: readonly TrustedTool[] }> = z.strictObject({
  tools: z.array(trustedTool),
});

const KEPT_TEXT = 20_000;

/** A tool that is not what was trusted. */
export interface ChangedTool extends TrustRequest {
  /** Text of the tool when it was trusted, where that was kept. */
  readonly before: string | undefined;
}

/** What each server's tools were when they were trusted, also in earlier runs. */
export interface ToolTrustStore {
  /** Contract: a tool seen for the first time is trusted and remembered; one that changed since is not. */
  of(name: string, config: McpServerConfig): ToolTrust;
  /** The tools that were refused in this run, because they changed. */
  changed(): readonly ChangedTool[];
  /** Trusts them as they are now. */
  accept(tools: readonly ChangedTool[]): Promise<void>;
}

export function openToolTrust(
  path: string,
  file: JsonFile<z.infer<typeof trustedTools>> = createJsonFile(path, trustedTools, { tools: [] }),
): ToolTrustStore {
  const refused = new Map<string, ChangedTool & { readonly id: string }>();
  let waiting: TrustedTool[] = [];
  let writing: Promise<void> | undefined;
  let reading: Promise<ReadonlyMap<string, TrustedTool>> | undefined;

  /** A server asks for its tools all at once, and one read serves them all. */
  function knownTools(): Promise<ReadonlyMap<string, TrustedTool>> {
    reading ??= (async () => {
      try {
        return new Map((await file.read()).tools.map((one) => [keyOf(one), one]));
      } finally {
        reading = undefined;
      }
    })();
    return reading;
  }

  /** A server brings its tools all at once, and one write serves them all. */
  function remember(tool: TrustedTool): Promise<void> {
    waiting.push(tool);
    writing ??= (async () => {
      await setImmediate();
      const added = waiting;
      waiting = [];
      writing = undefined;
      const keys = new Set(added.map(keyOf));
      await file.update(({ tools }) => ({ tools: [...tools.filter((one) => !keys.has(keyOf(one))), ...added] }));
    })();
    return writing;
  }

  return {
    of(name, config) {
      const id = identify(name, config);
      return async (request) => {
        const { tool, fingerprint } = request;
        const key = keyOf({ server: id, tool });
        const known = (await knownTools()).get(key);
        if (known === undefined) await remember(record(id, request));
        const trusted = known === undefined || known.sha256 === fingerprint;
        if (trusted) refused.delete(key);
        else refused.set(key, { ...request, id, before: known.text });
        return trusted || `it changed since it was trusted; look at it with: ikigai mcp trust ${name}`;
      };
    },
    changed: () => [...refused.values()],
    async accept(tools) {
      const accepted = [...refused].filter(([, one]) => tools.includes(one));
      await Promise.all(accepted.map(([, one]) => remember(record(one.id, one))));
      for (const [key] of accepted) refused.delete(key);
    },
  };
}

function record(server: string, { tool, fingerprint, text }: TrustRequest): TrustedTool {
  return { server, tool, sha256: fingerprint, ...(text.length <= KEPT_TEXT && { text }) };
}

function keyOf({ server, tool }: Pick<TrustedTool, "server" | "tool">): string {
  return JSON.stringify([server, tool]);
}

/** Servers of one name in two projects are two servers. Values that may be secret are left out. */
function identify(name: string, { command, args = [], url }: McpServerConfig): string {
  const reached = JSON.stringify(command === undefined ? [url] : [command, ...args]);
  return `${name} ${createHash("sha256").update(reached).digest("hex").slice(0, 16)}`;
}
