import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stopKeeper } from "@ikigai/database";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const PROGRAM = fileURLToPath(new URL("../bin/ikigai.js", import.meta.url));
const HOLD = fileURLToPath(new URL("testing/hold.mjs", import.meta.url));

let base: string;
let root: string;
let store: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-killed-"));
  root = join(base, "root");
  store = join(base, "store");
  mkdirSync(root);
  mkdirSync(join(base, "config", "ikigai"), { recursive: true });
  // Opens the store once, so that what is killed later is the call and not the beginning of a store.
  await run(["audit"]);
});
afterAll(async () => {
  await stopKeeper(join(store, "postgres"));
  await rm(base, { recursive: true, force: true });
});

function start(args: readonly string[], agent: string, env: NodeJS.ProcessEnv = {}, node: string[] = []): ChildProcess {
  const flags = ["--root", root, "--store", store, "--agent", agent, "--approve", "all"];
  return spawn(process.execPath, [...node, PROGRAM, ...flags, ...args], {
    env: { PATH: process.env["PATH"], HOME: base, XDG_CONFIG_HOME: join(base, "config"), ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function run(args: readonly string[], agent = "default"): Promise<string> {
  const child = start(args, agent);
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  await once(child, "close");
  return out;
}

/** A moment to kill at: before a query is sent, before a file takes its name, in the command, or in the `after` hook. */
type Moment =
  | "sql|insert into audit"
  | "sql|insert into journal"
  | "sql|insert into journal (uri"
  | "sql|insert into asset"
  | "file|a.txt"
  | "command"
  | "after";

const WRITE = ["tool", "file_write", '{"path":"a.txt","content":"new"}'];
/** So large that the journal keeps its text in pieces. */
const LARGE = ["tool", "file_write", JSON.stringify({ path: "a.txt", content: "a line of it\n".repeat(3_000) })];
const ASSET = ["tool", "file_write", '{"path":"ikigai:///blocks/a.md","content":"new"}'];
const UNFINISHED = /no end was written \(its process was killed, or it still runs\); /.source;

test.each<[string, readonly string[], Moment, RegExp | undefined, boolean]>([
  ["file: before the intent", WRITE, "sql|insert into audit", undefined, false],
  ["file: before the announcement, which goes with the intent", WRITE, "sql|insert into journal", undefined, false],
  ["large file: before its pieces", LARGE, "sql|insert into journal", undefined, false],
  ["large file: between its pieces and its entry", LARGE, "sql|insert into journal (uri", undefined, false],
  [
    "large file: between announcement and act",
    LARGE,
    "file|a.txt",
    /the change of file:\/\/\/a\.txt was announced and was not made/,
    false,
  ],
  [
    "file: between announcement and act",
    WRITE,
    "file|a.txt",
    /the change of file:\/\/\/a\.txt was announced and was not made/,
    false,
  ],
  ["file: between act and outcome", WRITE, "after", /file:\/\/\/a\.txt was changed, see \/diff/, true],
  ["asset: before the intent", ASSET, "sql|insert into audit", undefined, false],
  [
    "asset: between intent and act",
    ASSET,
    "sql|insert into asset",
    /ikigai:\/\/\/blocks\/a\.md was not changed by it/,
    false,
  ],
  ["asset: between act and outcome", ASSET, "after", /ikigai:\/\/\/blocks\/a\.md was changed, see \/diff/, true],
  ["bash: before the intent", ["tool", "bash", '{"command":"touch a.txt"}'], "sql|insert into audit", undefined, false],
  ["bash: in the command", [], "command", /how far the command came is not known/, true],
  [
    "bash: between end and outcome",
    ["tool", "bash", '{"command":"touch a.txt"}'],
    "after",
    /how far the command came is not known/,
    true,
  ],
])("%s: killed there, the audit tells what happened", async (name, call, moment, told, made) => {
  const agent = name.replaceAll(/\W+/g, "-");
  const held = join(base, `${agent}.held`);
  const asset = call === ASSET;
  await rm(join(root, "a.txt"), { force: true });
  const hook = {
    command: ["/bin/sh", "-c", `echo $$ > '${held}.part'; mv '${held}.part' '${held}'; exec sleep 600`],
    timeout_ms: 600_000,
  };
  const config = moment === "after" ? { hooks: { after: [hook] } } : {};
  writeFileSync(join(base, "config", "ikigai", "ikigai.config.json"), JSON.stringify(config));
  const command = `touch a.txt; echo $$ > '${held}.part'; mv '${held}.part' '${held}'; exec sleep 600`;
  const args = moment === "command" ? ["tool", "bash", JSON.stringify({ command })] : call;
  const patched = moment.includes("|");
  const child = start(
    args,
    agent,
    patched ? { HOLD_AT: moment, HOLD_FILE: held } : {},
    patched ? ["--import", HOLD] : [],
  );
  const ended = once(child, "close");
  await vi.waitFor(() => expect(readFileSync(held, "utf8")).toMatch(/^\d+/), { timeout: 60_000, interval: 50 });
  process.kill(child.pid as number, "SIGKILL");
  if (moment === "after") process.kill(Number(readFileSync(held, "utf8")), "SIGKILL");
  await ended;
  writeFileSync(join(base, "config", "ikigai", "ikigai.config.json"), "{}");

  const lines = (await run(["audit"], agent)).split("\n").filter((line) => line.includes(`  ${agent}  `));
  if (told === undefined) expect(lines).toEqual([]);
  else expect(lines).toEqual([expect.stringMatching(new RegExp(UNFINISHED + told.source))]);
  if (asset)
    expect((await run(["tool", "file_read", '{"path":"ikigai:///blocks/a.md"}'], agent)).includes('"new"')).toBe(made);
  else expect(existsSync(join(root, "a.txt"))).toBe(made);
});

test("pieces of a large text are in the store only where an entry names them, whenever the process was killed", async () => {
  const rows = (await run(["store", "export"]))
    .split("\n")
    .filter((line) => /^\{"table":"journal(_chunk)?"/.test(line));
  const named = rows.flatMap(
    (line) => (/"after_chunks":"\\\\x([0-9a-f]+)"/.exec(line)?.[1] ?? "").match(/.{64}/g) ?? [],
  );
  const kept = rows.flatMap(
    (line) => /^\{"table":"journal_chunk","row":\{"hash":"\\\\x([0-9a-f]+)"/.exec(line)?.[1] ?? [],
  );
  // One call was killed after its announcement; those that were killed before left nothing.
  expect(new Set(named).size).toBeGreaterThan(0);
  expect(kept.toSorted()).toEqual([...new Set(named)].toSorted());
});
