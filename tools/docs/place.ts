import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stopKeeper } from "@ikigai/database";
import { PROGRAM } from "../../apps/cli/src/testing/program.ts";
import { ROOT } from "./markdown.ts";

/** What is used of the official MCP client, which belongs to another package. */
interface McpClient {
  connect(transport: unknown): Promise<void>;
  callTool(call: { name: string; arguments: unknown }): Promise<{ content: { text?: string }[] }>;
  close(): Promise<void>;
}

/** A fresh home and workspace, as a newcomer has them, where the steps of a page are made. */
export interface Place {
  readonly workspace: string;
  shell(script: string): Promise<{ code: number; output: string }>;
  put(file: string, text: string): Promise<void>;
  /** The text that a client's model reads. */
  call(client: string, call: { name: string; arguments: unknown }): Promise<string>;
  close(): Promise<void>;
}

export async function openPlace(cache: string): Promise<Place> {
  const base = await mkdtemp(join(tmpdir(), "ikigai-docs-"));
  const workspace = join(base, "project");
  const bin = join(base, "bin");
  await Promise.all([mkdir(workspace), mkdir(bin)]);
  await program(join(bin, "ikigai"), `exec "${process.execPath}" "${PROGRAM}" "$@"`);
  await program(join(bin, "npm"), NPM);
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: base,
    XDG_CACHE_HOME: cache,
    LANG: "C.UTF-8",
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "user.name",
    GIT_CONFIG_VALUE_0: "Ana",
    GIT_CONFIG_KEY_1: "user.email",
    GIT_CONFIG_VALUE_1: "ana@example.org",
  };
  const clients = new Map<string, McpClient>();

  const connect = async (name: string): Promise<McpClient> => {
    const require = createRequire(join(ROOT, "packages/mcp/package.json"));
    const { Client } = require("@modelcontextprotocol/client") as { Client: new (info: unknown) => McpClient };
    const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio") as {
      StdioClientTransport: new (options: unknown) => unknown;
    };
    const client = new Client({ name, version: "1" });
    const server = { command: join(bin, "ikigai"), args: ["mcp"], cwd: workspace, env, stderr: "ignore" };
    await client.connect(new StdioClientTransport(server));
    clients.set(name, client);
    return client;
  };

  return {
    workspace,
    shell: (script) => runShell(script, workspace, env),
    async put(file, text) {
      await mkdir(dirname(join(workspace, file)), { recursive: true });
      await writeFile(join(workspace, file), text);
    },
    async call(name, call) {
      const client = clients.get(name) ?? (await connect(name));
      const { content } = await client.callTool(call);
      return content.map(({ text = "" }) => text).join("\n");
    },
    async close() {
      for (const client of clients.values()) await client.close();
      for (const store of [join(base, ".local/share/ikigai"), join(workspace, "store")]) {
        await stopKeeper(join(store, "postgres"));
      }
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Stands for npm, which would fetch our packages: installing links what was built here, and creating runs it. */
const NPM = `case "$1" in
  install) shift; for one in "$@"; do
    case "$one" in
      @ikigai/*) mkdir -p node_modules/@ikigai; ln -sfn "${ROOT}/packages/\${one#@ikigai/}" "node_modules/$one"; test -e "node_modules/$one/package.json" ;;
      zod) mkdir -p node_modules; ln -sfn "${ROOT}/packages/core/node_modules/zod" node_modules/zod ;;
      *) echo "npm: only our own packages are here, not $one" >&2; exit 1 ;;
    esac || exit 1
  done ;;
  create) test "$2" = ikigai-source || exit 1; shift 2; name=$1; shift; test "$1" = -- && shift
    exec node "${ROOT}/packages/create-source/bin/create-ikigai-source.js" "$name" "$@" ;;
  start) shift; test "$1" = -- && shift; exec ikigai "$@" ;;
  *) echo "npm: cannot $1 here" >&2; exit 1 ;;
esac`;

async function program(file: string, body: string): Promise<void> {
  await writeFile(file, `#!/bin/bash\n${body}\n`);
  await chmod(file, 0o755);
}

function runShell(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["-e", "-o", "pipefail", "-c", `exec 2>&1\n${script}`], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
