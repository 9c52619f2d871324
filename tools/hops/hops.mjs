// Counts the hops of one `file_edit`, by the command line and over MCP, in a real run of the built program.
// A hop is a call from a function in one file of ours to a function in another, on the way from where the call arrives (the
// entry of the program, or the message of the client) to where the text is renamed into its place.
//   node tools/hops/hops.mjs [--show] [DIR]   DIR is another built tree to compare with
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const TARGET = "hops.md";
const EDIT = { name: "file_edit", arguments: { path: TARGET, old: "x", new: "y" } };
const record = fileURLToPath(new URL("record.mjs", import.meta.url));
/** What takes a message of a client, in this tree and in those before it. */
const TAKES_MESSAGE = / (onMessage|handleMessage|receive|onLine|take)$/;

/** The functions on the way, as `FILE NAME`, the first first. */
async function wayOf(tree, kind) {
  const base = await mkdtemp(join(tmpdir(), "ikigai-hops-"));
  try {
    await writeFile(join(base, TARGET), "x");
    const file = join(base, "way.json");
    const env = { ...process.env, HOPS_TARGET: TARGET, HOPS_FILE: file, XDG_CONFIG_HOME: base, XDG_DATA_HOME: base };
    const flags = ["--root", base, "--store", join(base, "store"), "--approve", "edits"];
    const command = kind === "mcp" ? ["mcp"] : ["tool", EDIT.name, JSON.stringify(EDIT.arguments)];
    const args = ["--import", record, join(tree, "apps/cli/bin/ikigai.js"), ...flags, ...command];
    const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    if (kind === "mcp") await talk(child);
    else child.stdin.end();
    await once(child, "exit");
    return JSON.parse(await readFile(file, "utf8"));
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** Greets the server, makes the call and leaves when it is answered. */
async function talk({ stdin, stdout }) {
  const send = (message) => stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "hops", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: EDIT });
  let heard = "";
  for await (const chunk of stdout) {
    heard += chunk;
    if (/"id":2\b/.test(heard)) break;
  }
  stdin.end();
}

/** Contract: `files` are those on the way, each once. */
export async function countHops(tree, kind) {
  const whole = await wayOf(resolve(tree), kind);
  const from = kind === "mcp" ? whole.findLastIndex((at) => TAKES_MESSAGE.test(at)) : 0;
  const way = whole.slice(Math.max(0, from));
  const files = way.map((at) => at.split(" ")[0]);
  return { way, hops: files.filter((file, at) => at > 0 && file !== files[at - 1]).length, files: new Set(files).size };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [tree = "."] = process.argv.slice(2).filter((word) => word !== "--show");
  for (const kind of ["tool", "mcp"]) {
    const { way, hops, files } = await countHops(tree, kind);
    process.stdout.write(`hops of file_edit by ${kind}: ${hops}, through ${files} files\n`);
    if (process.argv.includes("--show")) process.stdout.write(`${way.map((at) => `  ${at}`).join("\n")}\n`);
  }
}
