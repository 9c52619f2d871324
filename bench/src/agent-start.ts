import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { stopKeeper } from "@ikigai/database";
import { type AtPrompt, type PtyProgram, startInPty } from "./in-pty.ts";
import { compare, counted, type Line, type Side } from "./line.ts";
import { NEWER_NODE, newerNode } from "./newer-node.ts";
import { installSeparately, SEPARATE_PEERS } from "./peers.ts";
import { type Temporary, withTemporary } from "./temporary.ts";

const PROGRAM = fileURLToPath(new URL("../../apps/cli/bin/ikigai.js", import.meta.url));
/** A peer that takes longer for its first prompt is measured that once, or the rounds would take a quarter of an hour. */
const PATIENCE_MS = 20_000;
const WORK = "start to the prompt, in a pseudo-terminal";
const TYPEABLE = "can be typed into; the store opens meanwhile";
/** What the status line says once everything is open. */
const CONNECTED = /\d sources/;
const CONNECT_MS = 10_000;

/** Other agents for the terminal. */
const AGENTS = {
  pi: { package: "@earendil-works/pi-coding-agent", needsNewerNode: true, prompt: /ctrl\+c\/ctrl\+d/ },
  opencode: { package: "opencode-ai", needsNewerNode: false, prompt: /╹[^▀]*▀{10}/ },
} as const;

/** From the start of the process until a person can type. */
export async function benchStart(quick: boolean): Promise<Line[]> {
  return withTemporary(async (temporary) => {
    const root = await temporary.folder();
    await writeFile(join(root, "README.md"), "# A small project\n");
    const existing = await temporary.store("postgres");
    await promisify(execFile)(process.execPath, [PROGRAM, "--root", root, "--store", existing, "pinned"]);
    let fresh = "";
    const sides: Side[] = [
      await side("node", "floor", "none: a prompt and nothing behind it", temporary, () => ({
        command: process.execPath,
        args: ["-e", "process.stdout.write('> '); setInterval(() => {}, 1e6)"],
        prompt: /> /,
      })),
      await side("ikigai, existing store", "ours", TYPEABLE, temporary, () => ({
        command: process.execPath,
        args: [PROGRAM, "--root", root, "--store", existing],
        prompt: /> /,
      })),
      await side("ikigai, existing store, all connected", "ours", "store and sources are open", temporary, () => ({
        command: process.execPath,
        args: [PROGRAM, "--root", root, "--store", existing],
        prompt: CONNECTED,
      })),
      await side(
        "ikigai, new store",
        "ours",
        TYPEABLE,
        temporary,
        () => ({ command: process.execPath, args: [PROGRAM, "--root", root, "--store", fresh], prompt: /> / }),
        async () => {
          if (fresh !== "") await stopKeeper(join(fresh, "postgres"));
          fresh = await temporary.folder();
        },
      ),
    ];
    temporary.defer(() => stopKeeper(join(fresh, "postgres")));
    const slow: Line[] = [];
    for (const name of Object.keys(AGENTS) as (keyof typeof AGENTS)[]) {
      const peer = await openAgent(name, temporary);
      if (peer === undefined) continue;
      if (peer.firstMs <= PATIENCE_MS) sides.push(peer.side);
      else slow.push(counted("agent", FIRST, "µs", { ...SLOW, name: peer.side.name }, peer.firstMs * 1_000));
    }
    return [
      ...(await compare("agent", WORK, sides, { rounds: quick ? 1 : 15, warmUp: quick ? 0 : 1, withinMs: 120_000 })),
      ...slow,
    ];
  });
}

/** Work of its own: one cold start is not set against the medians of warm ones. */
const FIRST = `first ${WORK}`;
const SLOW = { role: "peer", guarantee: "its first start, measured once, since it took longer than 20 s" } as const;

/** A peer that comes to its prompt here, and how long that took. Says on standard error why one does not. */
async function openAgent(
  name: keyof typeof AGENTS,
  temporary: Temporary,
): Promise<{ side: Side; firstMs: number } | undefined> {
  const { package: peer, needsNewerNode, prompt } = AGENTS[name];
  const label = `${name} ${SEPARATE_PEERS[peer]}${needsNewerNode ? ` on Node ${NEWER_NODE}` : ""}`;
  try {
    const program = join(await installSeparately(peer), "node_modules", ".bin", name);
    const [command = "", ...args] = needsNewerNode ? [await newerNode(), program] : [program];
    const opened = await side(label, "peer", "its footer is shown", temporary, () => ({ command, args, prompt }));
    const start = performance.now();
    await opened.run();
    const firstMs = performance.now() - start;
    await opened.before?.();
    return { side: opened, firstMs };
  } catch (error) {
    process.stderr.write(`bench: ${label} is left out: ${(error as Error).message.slice(0, 400)}\n`);
    return undefined;
  }
}

async function side(
  name: string,
  role: NonNullable<Side["role"]>,
  guarantee: string,
  temporary: Temporary,
  program: () => Omit<PtyProgram, "cwd" | "env">,
  prepare: () => Promise<void> = async () => {},
): Promise<Side> {
  const home = await temporary.folder();
  const cwd = join(home, "project");
  await mkdir(cwd);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TERM: "xterm-256color",
    ANTHROPIC_API_KEY: "none",
    // No downloads: only what is installed is measured.
    PI_OFFLINE: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    IKIGAI_MODEL: "anthropic/claude-sonnet-4-5",
  };
  let running: AtPrompt | undefined;
  let rss: number | undefined;
  const stop = async (): Promise<void> => {
    const before = running;
    running = undefined;
    // What still starts would be in the way of the next side.
    if (role === "ours") await before?.shows(CONNECTED, CONNECT_MS);
    await before?.kill();
  };
  temporary.defer(stop);
  return {
    name,
    role,
    guarantee,
    async before() {
      await stop();
      await prepare();
    },
    async run() {
      running = await startInPty({ ...program(), cwd, env });
      rss = Math.max(rss ?? 0, running.rss() ?? 0) || undefined;
    },
    rss: () => rss,
  };
}
