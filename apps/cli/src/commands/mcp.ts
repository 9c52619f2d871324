import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { IkigaiError } from "@ikigai/core";
import type { ClientName, ClientRoot } from "@ikigai/mcp";
import type { HostOptions } from "@ikigai/host";
import type { Command } from "commander";
import { type AddCommand, examples, type Surroundings } from "../command-line.ts";
import {
  clientFolders,
  createMovable,
  createOpenWorkspaces,
  memoryName,
  serveWorkspace,
  whyNoWorkspace,
  wroteTo,
} from "@ikigai/host/mcp";
import { loadPart, type PartModules } from "@ikigai/host/parts";
import { releaseStdout } from "../terminal/results-output.ts";
import { type GlobalFlags, resolveSettings, type Settings } from "../settings.ts";
import { placeOf, voiceOf } from "../terminal/terminal-host.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface McpFlags {
  readonly http?: boolean;
  readonly port?: string;
  readonly tools?: string;
  readonly mountHost?: boolean;
  readonly defaultRoot?: string;
}

/** An answer holds the tool's output and little else. */
const ROOM_FOR_ESCAPES = 1.1;
const LEAST_ANSWER = 1_000_000;
/** As the package has them; it is not loaded to show help. */
export const CLIENTS: readonly ClientName[] = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "zed",
  "codex",
  "gemini",
  "opencode",
];
/** Clients that start a server in no folder of their user's, so that theirs is written down. */
const WITHOUT_FOLDER: ReadonlySet<ClientName> = new Set(["claude-desktop"]);
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
    .action((server: string | undefined, { yes = false }: { yes?: boolean }) =>
      withSession(async (session) => (await import("./trust-tools.ts")).trustTools(session, server, yes)),
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
  const mcp = await loadPart("@ikigai/mcp/serve", "mcp");
  const { createMcpApprovals, createMcpServer, selectTools, serveStdio } = mcp;
  const approvals = createMcpApprovals();
  const chosen = flags.tools?.split(",").map((name) => name.trim());
  if (chosen !== undefined) selectTools(chosen);
  const options = { approvals, mountHost: flags.mountHost ?? false, ...(chosen !== undefined && { tools: chosen }) };
  const serving = (root: string): HostOptions => ({ ...placeOf(settings), ...voiceOf(terminal), root });
  const first = await serveWorkspace(serving(settings.root), {
    ...options,
    strict: true,
    isChosen: given.root !== undefined,
  });
  const served = createMovable(first);
  let latest = first;
  let workspace = "";
  const move = async (roots: readonly ClientRoot[]): Promise<void> => {
    const folders = await clientFolders(roots);
    const next = JSON.stringify(folders);
    if (folders === undefined || next === workspace) return;
    const { root, others } = folders;
    await served.move(async () => {
      latest = await serveWorkspace(serving(root), { ...options, folders: others });
      return latest;
    });
    workspace = next;
    terminal.note(`the workspace is ${root}, as the client says`);
  };
  // Clients over HTTP may each be somewhere else, and a workspace that was chosen is not exchanged.
  const followsRoots = given.root === undefined && flags.http !== true;
  const workspaces = createOpenWorkspaces({
    open: (root) => serveWorkspace(serving(root), options),
    ...(given.root !== undefined && { only: settings.root }),
  });
  const { maxOutputSize } = first;
  const memory = memoryName(settings);
  const server = createMcpServer({
    registry: served.registry,
    agent: settings.agent,
    approvals,
    resources: served.resources,
    prompts: served.prompts,
    complete: served.complete,
    ready: () => served.ready(),
    instructions: () => latest.instructions,
    wroteTo: (effects, named) => wroteTo(effects, { workspace: named ?? latest.root, memory }),
    ...(followsRoots && { onRoots: move }),
    inWorkspace: workspaces.use,
    ...(maxOutputSize !== undefined && {
      maxAnswerSize: Math.max(LEAST_ANSWER, Math.ceil(maxOutputSize * ROOM_FOR_ESCAPES)),
    }),
    onLog: (level, message) => terminal.note(`${level}: ${message}`),
  });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  try {
    if (flags.http === true) {
      const token = process.env["IKIGAI_MCP_TOKEN"];
      const { serveHttp } = await loadPart("@ikigai/mcp", "mcp");
      const serving = await serveHttp(server, { port: portOf(flags.port), ...(token !== undefined && { token }) });
      terminal.complain(`serving MCP at ${serving.url}`);
      // The one secret that is meant to be read: whoever starts the server hands it to the clients.
      if (token === undefined) (terminal.tell ?? terminal.complain)(`ikigai: token: ${serving.token}`);
      await stopped;
      await serving.close();
    } else {
      releaseStdout();
      const serving = await serveStdio(server);
      await Promise.race([serving.closed, stopped]);
      await serving.close();
    }
    setExitCode(0);
  } finally {
    server.close();
    await workspaces.close();
    await served.close();
  }
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
  const known = CLIENTS.find((name) => name === client);
  if (known === undefined) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(client)} is no known client`, {
      hint: `Known are: ${CLIENTS.join(", ")}.`,
    });
  }
  if (given.http === true || given.port !== undefined) {
    throw new IkigaiError("invalid_input", "A client starts the server itself, over standard input and output", {
      hint: "Leave --http and --port out.",
    });
  }
  const settings = resolveSettings(program.opts<GlobalFlags>());
  const terminal = openTerminal(settings.quiet);
  const isChosen = program.opts<GlobalFlags>().root !== undefined;
  const whyNone = isChosen ? undefined : whyNoWorkspace(settings.root);
  if (verb === "install" && project && whyNone !== undefined) {
    throw new IkigaiError("invalid_input", `There is no project to write to: ${whyNone}`, {
      hint: "Leave --project out to write the user's configuration.",
    });
  }
  const flags = serverFlags(known, program.opts<GlobalFlags>(), given, settings, whyNone === undefined);
  if (verb === "install" && WITHOUT_FOLDER.has(known) && given.defaultRoot === undefined && whyNone !== undefined) {
    terminal.note(`The entry names no folder: ${whyNone}, or with --default-root`);
  }
  const shared = project ? await findProgram("ikigai") : undefined;
  if (verb === "install" && project && shared === undefined) {
    terminal.note("The entry names paths of this machine: for others, put ikigai on the PATH and install it again.");
  }
  const start = shared ?? [process.execPath, process.argv[1] ?? "ikigai"];
  const change = await planClient(verb, known, [...start, "mcp", ...flags], project ? settings.root : undefined);
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
  { path, before = "", after }: Awaited<ReturnType<typeof planClient>>,
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

/**
 * The flags that make a server which a client starts do as this command was told.
 *
 * Contract: the folder that this command runs in is not among them for a client that starts its servers where its user
 * works, since the entry is for every project.
 */
function serverFlags(
  client: ClientName,
  flags: GlobalFlags,
  { tools, mountHost, defaultRoot }: McpFlags,
  settings: Settings,
  isWorkspace: boolean,
): string[] {
  const fallback = defaultRoot ?? (WITHOUT_FOLDER.has(client) && isWorkspace ? settings.root : undefined);
  return [
    ...(flags.root === undefined ? [] : ["--root", settings.root]),
    ...(flags.root !== undefined || fallback === undefined ? [] : ["--default-root", resolve(fallback)]),
    ...(flags.store === undefined ? [] : ["--store", settings.storeUrl ?? settings.stateDirectory]),
    ...(settings.agent === "default" ? [] : ["--agent", settings.agent]),
    ...(flags.approve === undefined ? [] : ["--approve", flags.approve]),
    ...(tools === undefined ? [] : ["--tools", tools]),
    ...(mountHost === true ? ["--mount-host"] : []),
  ];
}

async function planClient(
  verb: "install" | "uninstall",
  client: ClientName,
  [command = "", ...args]: readonly string[],
  project: string | undefined,
): ReturnType<PartModules["@ikigai/mcp"]["installClient"]> {
  const { installClient, uninstallClient } = await loadPart("@ikigai/mcp", "mcp");
  const appData = process.env["APPDATA"];
  const places = {
    home: homedir(),
    env: process.env,
    ...(appData !== undefined && { appData }),
    ...(project !== undefined && { project }),
  };
  if (verb === "uninstall") return uninstallClient(client, places);
  return installClient(client, { command, args }, places);
}

/**
 * How anybody who has a program starts it: by its name.
 *
 * Contract: absent where the PATH does not lead to it, and on Windows, where a client cannot start it by its name alone.
 */
async function findProgram(name: string): Promise<readonly string[] | undefined> {
  if (process.platform === "win32") return undefined;
  const { access, constants } = await import("node:fs/promises");
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const there = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (there) return [name];
  }
  return undefined;
}
