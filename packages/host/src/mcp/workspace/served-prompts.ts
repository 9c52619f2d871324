import type { Prompts } from "@ikigai/mcp";

/** The prompts of a host, its own and those of other MCP servers. Contract: a server's prompt is found before our own. */
export function withServerPrompts(own: Prompts, servers: Required<Prompts>): Prompts {
  return {
    list: async (options) => [...(await own.list(options)), ...(await servers.list(options))],
    get: async (name, values, options) => (await servers.get(name, values, options)) ?? own.get(name, values, options),
    onChange(listener) {
      const heard = [own.onChange?.(listener), servers.onChange(listener)];
      return {
        [Symbol.dispose]: () => {
          for (const one of heard) one?.[Symbol.dispose]();
        },
      };
    },
  };
}
