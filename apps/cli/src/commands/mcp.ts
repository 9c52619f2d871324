import { IkigaiError } from "@ikigai/core";
import {
  CLIENTS,
  knownClient,
  type McpService,
  openMcpService,
  planClientEntry,
  planClientRemoval,
} from "@ikigai/host/mcp";
import { loadPart } from "@ikigai/host/parts";
import type { ClientConfigChange } from "@ikigai/mcp";
import type { Command } from "commander";
import { type AddCommand, examples, type Surroundings } from "../command-line.ts";
import { type GlobalFlags, resolveSettings } from "../settings.ts";
import { releaseStdout } from "../terminal/results-output.ts";
import { placeOf, voiceOf } from "../terminal/terminal-host.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface McpFlags {
  readonly http?: boolean;
  readonly port?: string;
  readonly tools?: string;
  readonly mountHost?: boolean;
  readonly defaultRoot?: string;
}

export const TOOLSETS: readonly string[] = ["default"];

export const addMcp: AddCommand = (program, withSession, surroundings) => {
  const mcp = program
    .command("mcp")
    .description("serve the tools to MCP clients, over standard input and output or HTTP")
    .option("--http", "over streamable HTTP on this machine, endpoint /mcp")
    .option("--port <port>", "for --http (default: a free one)")
    .option("--tools <list>", `toolsets and tools, separated by commas (default: ${TOOLSETS.join(",")})`)
    .option("--default-root <dir>", "the workspace unless the client names its own (default: the current folder)")
    .option("--mount-host", "let paths outside the workspace be asked for")
    .action((flags: McpFlags) => serve(program, flags, surroundings))
    .addHelpText("after", examples("ikigai mcp", "ikigai mcp --http --port 8931", "ikigai mcp --tools files,recall"));
  mcp
    .command("trust")
    .description("look at tools of configured MCP servers that changed, and trust them as they are now")
    .argument("[server]", "only those of this server")
    .option("--yes", "without being asked")
    .action(
      withSession(async (session, server: string | undefined, { yes = false }: { yes?: boolean }) =>
        (await import("./trust-tools.ts")).trustTools(session, server, yes),
      ),
    )
    .addHelpText("after", examples("ikigai mcp trust", "ikigai mcp trust weather --yes"));
  for (const verb of ["install", "uninstall"] as const) {
    mcp
      .command(verb)
      .description(verb === "install" ? "add ikigai to a client's configuration, after showing it" : "remove it again")
      .argument("<client>", CLIENTS.join(", "))
      .option("--yes", "without being asked")
      .option("--project", "in the project's configuration, in the workspace, not in the user's")
      .action((client: string, { yes = false, project = false }: { yes?: boolean; project?: boolean }) =>
        configure(program, verb, client, { ...mcp.opts<McpFlags>(), yes, project }, surroundings),
      )
      .addHelpText("after", examples(`ikigai mcp ${verb} claude-code`, `ikigai mcp ${verb} codex --project`));
  }
};

/** Contract: resolves when the client is gone or the process is told to stop. Nothing but frames reaches standard output. */
async function serve(program: Command, flags: McpFlags, { openTerminal, setExitCode }: Surroundings): Promise<void> {
  const given = program.opts<GlobalFlags>();
  const fallback = given.root ?? flags.defaultRoot;
  const resolved = resolveSettings({ ...given, ...(fallback !== undefined && { root: fallback }) });
  // Clients ask their own users before a call, so what only edits is not asked for a second time.
  const settings = { ...resolved, approve: given.approve ?? ("edits" as const) };
  const terminal = openTerminal(settings.quiet);
  const tools = flags.tools?.split(",").map((name) => name.trim());
  const service = await openMcpService(
    { ...placeOf(settings), ...voiceOf(terminal) },
    {
      ...(tools !== undefined && { tools }),
      mountHost: flags.mountHost ?? false,
      isChosen: given.root !== undefined,
      followsClient: flags.http !== true,
      log: (level, message) => terminal.note(`${level}: ${message}`),
      onMove: (root) => terminal.note(`the workspace is ${root}, as the client says`),
    },
  );
  try {
    await (flags.http === true ? overHttp(service, flags, terminal) : overStdio(service));
    setExitCode(0);
  } finally {
    await service.close();
  }
}

/** Resolves when the process is told to stop. */
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

async function overHttp({ server }: McpService, flags: McpFlags, terminal: Terminal): Promise<void> {
  const stop = stopped();
  const token = process.env["IKIGAI_MCP_TOKEN"];
  const { serveHttp } = await loadPart("@ikigai/mcp", "mcp");
  const serving = await serveHttp(server, { port: portOf(flags.port), ...(token !== undefined && { token }) });
  terminal.complain(`serving MCP at ${serving.url}`);
  // The one secret that is meant to be read: whoever starts the server hands it to the clients.
  if (token === undefined) (terminal.tell ?? terminal.complain)(`ikigai: token: ${serving.token}`);
  await stop;
  await serving.close();
}

async function overStdio({ server }: McpService): Promise<void> {
  const stop = stopped();
  const { serveStdio } = await loadPart("@ikigai/mcp/serve", "mcp");
  releaseStdout();
  const serving = await serveStdio(server);
  await Promise.race([serving.closed, stop]);
  await serving.close();
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? 0);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new IkigaiError("invalid_input", `${JSON.stringify(text)} is not a port`, {
    hint: "Use a number from 0, any free one, to 65535.",
  });
}

async function configure(
  program: Command,
  verb: "install" | "uninstall",
  client: string,
  { yes, project, ...given }: McpFlags & { readonly yes: boolean; readonly project: boolean },
  { openTerminal, setExitCode }: Surroundings,
): Promise<void> {
  const known = knownClient(client);
  if (given.http === true || given.port !== undefined) {
    throw new IkigaiError("invalid_input", "A client starts the server itself, over standard input and output", {
      hint: "Leave --http and --port out.",
    });
  }
  const { root, store, approve } = program.opts<GlobalFlags>();
  const settings = resolveSettings(program.opts<GlobalFlags>());
  const terminal = openTerminal(settings.quiet);
  const plan =
    verb === "uninstall"
      ? { change: await planClientRemoval(known, settings, project), notes: [] }
      : await planClientEntry(known, settings, {
          ...given,
          ...(approve !== undefined && { approve }),
          namesRoot: root !== undefined,
          namesStore: store !== undefined,
          project,
          program: [process.execPath, process.argv[1] ?? "ikigai"],
        });
  for (const note of plan.notes) terminal.note(note);
  const { change } = plan;
  if (!change.changed) return terminal.print(`${change.path} needs no change.`);
  const agreed = await agreesTo(change, yes, terminal);
  if (agreed) {
    const { actOfAPerson } = await import("@ikigai/host/policy");
    const effect = { action: "update", target: change.path } as const;
    await actOfAPerson(settings, { command: `mcp ${verb}`, effect, input: { client } }, () => change.apply());
  }
  terminal.print(agreed ? `${change.path} was written.` : "Nothing was written.");
  setExitCode(agreed ? 0 : 1);
}

/** Shows all of a change and asks, unless it was agreed to before. */
async function agreesTo(
  { path, before = "", after }: ClientConfigChange,
  yes: boolean,
  terminal: Terminal,
): Promise<boolean> {
  const [{ diffLines }, { renderDiff }, { confirmAbout }] = await Promise.all([
    import("@ikigai/host/policy"),
    import("../terminal/render-diff.ts"),
    import("../terminal/ask-about.ts"),
  ]);
  if (!yes && terminal.interactive)
    return confirmAbout(terminal, { heading: path, change: diffLines(before, after) }, "Write it?");
  terminal.note(path);
  terminal.show(renderDiff(before, after, Number.MAX_SAFE_INTEGER, terminal.colours));
  if (yes) return true;
  throw new IkigaiError("permission_denied", "Nobody can be asked", { hint: "Pass --yes after looking at it." });
}
