import { IkigaiError } from "@ikigai/core";

/** A server that is started as a child process. */
export interface StdioServerSpec {
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * Variables of the server's environment, on top of the few that every program needs (`PATH`, `HOME` and the
   * like). Nothing else is passed on.
   */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server that is reached over streamable HTTP. */
export interface HttpServerSpec {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type ServerSpec = StdioServerSpec | HttpServerSpec;

const SERVER_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** Contract: throws `invalid_input` for a name or a server that cannot be used. */
export function assertServerSpec(name: string, spec: ServerSpec): void {
  if (!SERVER_NAME.test(name) || name.includes("__")) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(name.slice(0, 80))} cannot name an MCP server`, {
      hint: "Use 1 to 32 lower-case letters, digits, dashes and single underscores, starting with a letter.",
    });
  }
  if ("command" in spec ? spec.command !== "" : URL.canParse(spec.url)) return;
  throw new IkigaiError("invalid_input", `The MCP server "${name}" has neither a command nor a valid url`, {
    hint: "Give it a command with args, or a url that begins with http:// or https://.",
  });
}

/** What a call to a tool of this server does to the world, as far as we can tell. */
export function effectOf(
  server: string,
  spec: ServerSpec,
  tool: string,
): { action: "execute" | "network"; target: string } {
  return { action: "command" in spec ? "execute" : "network", target: `mcp://${server}/${tool}` };
}
