import type { Tool } from "@modelcontextprotocol/client";
import { toolText } from "./foreign-tool.ts";

export interface ToolRoomOptions {
  /** Tools of one server. Default 512. */
  readonly perServer?: number;
  /** Tools of all servers that share the room. Default 1,024. */
  readonly tools?: number;
  /** Characters of one tool's description and schema. Default 200,000. */
  readonly charsPerTool?: number;
  /** Characters of the tools of all servers. Default 4,000,000. */
  readonly chars?: number;
}

/** Tools of a server that there is room for. */
export interface TakenTools {
  readonly taken: readonly Tool[];
  /** Describes the tools that were left out. Absent: none was. */
  readonly leftOut?: string;
}

/** Room for the tools of foreign servers, which may have any number of any size. */
export interface ToolRoom {
  /** Takes what fits, from the front, in place of what this server had. Contract: work in proportion to the tools. */
  take(server: string, tools: readonly Tool[]): TakenTools;
}

export function createToolRoom(options: ToolRoomOptions = {}): ToolRoom {
  const { perServer = 512, tools: maxTools = 1_024, charsPerTool = 200_000, chars: maxChars = 4_000_000 } = options;
  const used = new Map<string, { readonly tools: number; readonly chars: number }>();
  return {
    take(server, tools) {
      used.delete(server);
      const others = [...used.values()];
      const room = Math.min(perServer, maxTools - others.reduce((sum, one) => sum + one.tools, 0));
      let chars = maxChars - others.reduce((sum, one) => sum + one.chars, 0);
      const before = chars;
      const taken: Tool[] = [];
      let first: string | undefined;
      for (const tool of tools) {
        const size = taken.length < room ? toolText(tool).length : 0;
        if (taken.length < room && size <= charsPerTool && size <= chars) {
          taken.push(tool);
          chars -= size;
        } else first ??= tool.name;
      }
      used.set(server, { tools: taken.length, chars: before - chars });
      if (first === undefined) return { taken };
      const count = tools.length - taken.length;
      const bounds = `at most ${perServer} tools of a server, ${maxTools} in all, ${charsPerTool} characters each, ${maxChars} in all`;
      return { taken, leftOut: `${count} of ${tools.length} tools are left out, the first is ${first}: ${bounds}` };
    },
  };
}
