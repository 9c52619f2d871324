import { messageOf } from "@ikigai/core";
import type { ToolRegistry } from "@ikigai/core/host";
import type { Tool } from "@modelcontextprotocol/client";
import { foreignTool, type ForeignToolOptions, toolFingerprint, toolText } from "./foreign-tool.ts";
import { toolNames } from "./tool-names.ts";
import type { ToolRoom } from "./tool-room.ts";

/** A tool whose trust is in question. */
export interface TrustRequest {
  readonly server: string;
  readonly tool: string;
  readonly description: string;
  /** Everything that a model is told about the tool, as JSON. It is a stranger's text, and may be long. */
  readonly text: string;
  /** Stands for `text`. Remember it to recognise a change later. */
  readonly fingerprint: string;
  /** Text of the tool when this process last offered it, when it has changed since. */
  readonly previous?: string;
}

/** Decides whether a tool is offered: no may be a reason. Contract: may take as long as a person does; rejecting is no. */
export type ToolTrust = (request: TrustRequest) => boolean | string | Promise<boolean | string>;

export interface ForeignToolsOptions extends Pick<ForeignToolOptions, "call" | "spec" | "timeoutMs" | "note"> {
  readonly name: string;
  readonly registry: Pick<ToolRegistry, "register">;
  readonly trust?: ToolTrust;
  readonly room: ToolRoom;
  readonly warn: (message: string) => void;
}

/** The tools of one server in the registry, each on its own, so that one change leaves the others in place. */
export interface ForeignTools extends Disposable {
  /** Contract: what is gone or changed is withdrawn at once, before anybody is asked. */
  replace(tools: readonly Tool[]): Promise<void>;
  review(): Promise<void>;
  status(): {
    readonly tools: readonly string[];
    readonly withheld: readonly { readonly tool: string; readonly reason: string }[];
    /** Tools that there was no room for, in words. Absent: none. */
    readonly leftOut?: string;
  };
}

interface Offered {
  readonly fingerprint: string;
  readonly name: string;
  readonly registration: Disposable;
}

const onlyUnchanged: ToolTrust = ({ previous }) => previous === undefined;

export function createForeignTools(options: ForeignToolsOptions): ForeignTools {
  const { name: server, registry, trust = onlyUnchanged, warn } = options;
  const offered = new Map<string, Offered>();
  const trusted = new Map<string, string>();
  const withheld = new Map<string, string>();
  let current: readonly Tool[] = [];
  let unfit: string | undefined;
  let disposed = false;

  function withdraw(tool: string): void {
    offered.get(tool)?.registration[Symbol.dispose]();
    offered.delete(tool);
  }

  async function isTrusted(tool: Tool, fingerprint: string): Promise<boolean | string> {
    const previous = trusted.get(tool.name);
    if (previous === fingerprint) return true;
    const { description = "" } = tool;
    try {
      return await trust({
        server,
        tool: tool.name,
        description,
        text: toolText(tool),
        fingerprint,
        ...(previous !== undefined && { previous }),
      });
    } catch (error) {
      warn(`${server}: ${tool.name}: nobody could be asked whether it is trusted: ${messageOf(error)}`);
      return false;
    }
  }

  function offer(tool: Tool, name: string, fingerprint: string): void {
    try {
      const registration = registry.register([foreignTool(tool, { ...options, server, name })]);
      offered.set(tool.name, { fingerprint, name, registration });
      trusted.set(tool.name, fingerprint);
      withheld.delete(tool.name);
    } catch (error) {
      withhold(tool.name, messageOf(error));
    }
  }

  function withhold(tool: string, reason: string): void {
    withheld.set(tool, reason);
    warn(`${server}: ${tool} is withheld: ${reason}`);
  }

  async function consider(): Promise<void> {
    const tools = current;
    const names = toolNames(
      server,
      tools.map(({ name }) => name),
    );
    const considered = tools.map(async (tool) => {
      const fingerprint = toolFingerprint(tool);
      if (offered.get(tool.name)?.fingerprint === fingerprint) return;
      const changed = trusted.has(tool.name) && trusted.get(tool.name) !== fingerprint;
      const yes = await isTrusted(tool, fingerprint);
      if (disposed || current !== tools || offered.has(tool.name)) return;
      if (yes === true) offer(tool, names.get(tool.name) as string, fingerprint);
      else withhold(tool.name, yes || (changed ? "it changed and is not trusted again yet" : "it is not trusted"));
    });
    await Promise.all(considered);
  }

  return {
    async replace(tools) {
      if (disposed) return;
      const { taken, leftOut } = options.room.take(server, tools);
      if (leftOut !== undefined && leftOut !== unfit) warn(`${server}: ${leftOut}`);
      unfit = leftOut;
      current = taken;
      const now = new Map(taken.map((tool) => [tool.name, toolFingerprint(tool)]));
      for (const [tool, { fingerprint }] of offered) if (now.get(tool) !== fingerprint) withdraw(tool);
      for (const tool of withheld.keys()) if (!now.has(tool)) withheld.delete(tool);
      await consider();
    },
    review: consider,
    status: () => ({
      tools: [...offered.values()].map(({ name }) => name),
      withheld: [...withheld].map(([tool, reason]) => ({ tool, reason })),
      ...(unfit !== undefined && { leftOut: unfit }),
    }),
    [Symbol.dispose]() {
      disposed = true;
      options.room.take(server, []);
      for (const tool of offered.keys()) withdraw(tool);
    },
  };
}
