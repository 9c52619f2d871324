import { homedir } from "node:os";
import { IkigaiError } from "@ikigai/core";
import {
  CLIENT_NAMES,
  type ClientName,
  createMcpApprovals,
  createMcpServer,
  DEFAULT_TOOLSETS,
  installClient,
  selectTools,
  serveHttp,
  serveStdio,
  sourceResources,
  uninstallClient,
} from "@ikigai/mcp";
import type { Command } from "commander";
import { type AddCommand, examples, type Surroundings } from "../command-line.ts";
import { followChanges } from "../follow.ts";
import { openHost } from "../host.ts";
import { toolsOf } from "../mcp/mcp-servers.ts";
import { trustTools } from "../mcp/trust-tools.ts";
import { renderDiff } from "../render-diff.ts";
import { type GlobalFlags, resolveSettings } from "../settings.ts";

interface McpFlags {
  readonly http?: boolean;
  readonly port?: string;
  readonly tools?: string;
  readonly mountHost?: boolean;
}

/** An answer holds the tool's output and little else. */
const ROOM_FOR_ESCAPES = 1.1;
const SHOWN_LINES = 80;

export const addMcp: AddCommand = (program, withSession, surroundings) => {
  const mcp = program
    .command("mcp")
    .description("serve the tools to MCP clients, over standard input and output or HTTP")
    .option("--http", "over streamable HTTP on this machine, endpoint /mcp")
    .option("--port <port>", "for --http (default: a free one)")
    .option("--tools <list>", `toolsets and tools, separated by commas (default: ${DEFAULT_TOOLSETS.join(",")})`)
    .option("--mount-host", "let paths outside the workspace be asked for")
    .action((flags: McpFlags) => serve(program, flags, surroundings))
    .addHelpText("after", examples("ikigai mcp", "ikigai mcp --http --port 8931", "ikigai mcp --tools files,recall"));
  mcp
    .command("trust")
    .description("look at tools of configured MCP servers that changed, and trust them as they are now")
    .argument("[server]", "only those of this server")
    .option("--yes", "without being asked")
    .action((server: string | undefined, { yes = false }: { yes?: boolean }) =>
      withSession((session) => trustTools(session, server, yes)),
    )
    .addHelpText("after", examples("ikigai mcp trust", "ikigai mcp trust weather --yes"));
  for (const verb of ["install", "uninstall"] as const) {
    mcp
      .command(verb)
      .description(verb === "install" ? "add ikigai to a client's configuration, after showing it" : "remove it again")
      .argument("<client>", CLIENT_NAMES.join(", "))
      .option("--yes", "without being asked")
      .action((client: string, { yes = false }: { yes?: boolean }) =>
        configure(program, verb, client, yes, surroundings),
      )
      .addHelpText("after", examples(`ikigai mcp ${verb} claude-code`));
  }
};

/** Contract: resolves when the client is gone or the process is told to stop. Nothing but frames reaches standard output. */
async function serve(program: Command, flags: McpFlags, { openTerminal, setExitCode }: Surroundings): Promise<void> {
  const given = program.opts<GlobalFlags>();
  // Clients ask their own users before a call, so what only edits is not asked for a second time.
  const settings = { ...resolveSettings(given), approve: given.approve ?? ("edits" as const) };
  const terminal = openTerminal(settings.quiet);
  const approvals = createMcpApprovals();
  const chosen = flags.tools?.split(",").map((name) => name.trim());
  const host = await openHost(settings, terminal, {
    approver: approvals.approver,
    mountHost: flags.mountHost ?? false,
  });
  // Whoever chooses none gets what the configuration's servers bring, too.
  const select = selectTools(chosen ?? [...DEFAULT_TOOLSETS, ...host.servers.names.map(toolsOf)]);
  const starting = host.servers.start();
  // A client that names their tools finds them in its first list; others hear when they join.
  if (chosen?.some((name) => name.includes("__"))) await starting;
  const resources = sourceResources({
    sources: host.sources,
    policy: host.policy,
    onMountsChange: (listener) => host.sources.onMountsChange(listener),
    warn: (message) => terminal.complain(message),
  });
  const maxOutput = host.config.max_output_size;
  const server = createMcpServer({
    registry: host.registry,
    tools: { select },
    ...(maxOutput !== undefined && { maxAnswerSize: Math.max(1_000_000, Math.ceil(maxOutput * ROOM_FOR_ESCAPES)) }),
    agent: settings.agent,
    approvals,
    resources,
    complete: resources.complete,
    onLog: (level, message) => terminal.note(`${level}: ${message}`),
  });
  const following = await followChanges(host, settings, {
    notify: (message) => terminal.note(message),
    complain: (message) => terminal.complain(message),
  });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  try {
    if (flags.http === true) {
      const token = process.env["IKIGAI_MCP_TOKEN"];
      const serving = await serveHttp(server, { port: portOf(flags.port), ...(token !== undefined && { token }) });
      terminal.complain(`serving MCP at ${serving.url}`);
      if (token === undefined) terminal.complain(`token: ${serving.token}`);
      await stopped;
      await serving.close();
    } else {
      const serving = await serveStdio(server);
      await Promise.race([serving.closed, stopped]);
      await serving.close();
    }
    setExitCode(0);
  } finally {
    await following[Symbol.asyncDispose]();
    await host.close();
  }
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? 0);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new IkigaiError("invalid_input", `${JSON.stringify(text)} is not a port`);
}

async function configure(
  program: Command,
  verb: "install" | "uninstall",
  client: string,
  yes: boolean,
  { openTerminal, setExitCode }: Surroundings,
): Promise<void> {
  const known = CLIENT_NAMES.find((name) => name === client);
  if (known === undefined) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(client)} is no known client`, {
      hint: `Known are: ${CLIENT_NAMES.join(", ")}.`,
    });
  }
  const settings = resolveSettings(program.opts<GlobalFlags>());
  const terminal = openTerminal(settings.quiet);
  const change = await planClient(verb, known, settings.root, settings.agent);
  if (!change.changed) return terminal.print(`${change.path} needs no change.`);
  terminal.note(change.path);
  terminal.show(renderDiff(change.before ?? "", change.after, SHOWN_LINES, terminal.colours));
  if (!yes && !terminal.interactive)
    throw new IkigaiError("permission_denied", "Nobody can be asked", { hint: "Pass --yes after looking at it." });
  const agreed = yes || /^y(es)?$/i.test((await terminal.ask("Write it? [y/N] ")).trim());
  if (agreed) await change.apply();
  terminal.print(agreed ? `${change.path} was written.` : "Nothing was written.");
  setExitCode(agreed ? 0 : 1);
}

function planClient(
  verb: "install" | "uninstall",
  client: ClientName,
  root: string,
  agent: string,
): ReturnType<typeof installClient> {
  const appData = process.env["APPDATA"];
  const places = { home: homedir(), ...(appData !== undefined && { appData }) };
  if (verb === "uninstall") return uninstallClient(client, places);
  const args = [process.argv[1] ?? "ikigai", "mcp", "--root", root, ...(agent === "default" ? [] : ["--agent", agent])];
  return installClient(client, { command: process.execPath, args }, places);
}
