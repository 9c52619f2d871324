import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Fault,
  type NormalisedRequest,
  type Script,
  type ScriptedReply,
  startMockProvider,
} from "@ikigai/agent/testing";
import { stopKeeper } from "@ikigai/database";
import { MORTAL_AGENT } from "../../testing/program.ts";
import type { MortalTask } from "./mortal-agent.ts";
import { openTalk } from "./open-talk.ts";
import { lastUser, results } from "./use-chats.ts";

/** When the process is killed: at a point of its own, by number or name; some time after the first request; or when it was sent something. */
export type Death =
  | { readonly point: string | number }
  | { readonly afterMs: number }
  | { readonly request: "answer" | "summary" | "compaction"; readonly where: NonNullable<StallPlace> };
type StallPlace = Extract<Fault, { kind: "stall" }>["where"];

/** What the next process made of it. */
export interface GoneOn {
  /** Whether it was killed, and did not come to its end before. */
  readonly killed: boolean;
  /** What the person read when they came back. */
  readonly greeting: string;
  /** What the model answered to "again", over either protocol. */
  readonly answers: readonly string[];
  readonly refused: readonly string[];
  /** Each effect that took place, in order. */
  readonly stamps: readonly string[];
  /** The first request of the next process. */
  readonly request: NormalisedRequest;
}

/** A place for processes to die in. */
export interface Grave extends AsyncDisposable {
  dieAndGoOn(death: Death): Promise<GoneOn>;
}

const LONG = "Decision one: use tabs. ".repeat(40);
const SHORT = "Decision one: use tabs.";
/** So small that the past does not fit, and something is evicted and summarised in the first turn. */
const CONTEXT_LIMIT = 14_000;

export async function openGrave(): Promise<Grave> {
  const base = await mkdtemp(join(tmpdir(), "ikigai-grave-"));
  await mkdir(join(base, "config", "ikigai"), { recursive: true });
  await writeFile(
    join(base, "config", "ikigai", "ikigai.config.json"),
    JSON.stringify({ context_limit: CONTEXT_LIMIT }),
  );
  let agents = 0;
  return {
    async dieAndGoOn(death) {
      const agent = `mortal-${++agents}`;
      await rm(join(base, "root"), { recursive: true, force: true });
      await mkdir(join(base, "root"));
      const killed = await live(base, agent, death);
      await using talk = await openTalk(base, workOrAnswer, { agent, resume: { kind: "latest" } });
      talk.answers.push(...Array.from({ length: 10 }, () => "y"));
      const first = await talk.say("again");
      await talk.say(`/model anthropic/scripted ${talk.provider.anthropicUrl}`);
      const second = await talk.say("again");
      const stamps = await readFile(join(base, "root", "stamps.txt"), "utf8").catch(() => "");
      return {
        killed,
        greeting: talk.greeting,
        answers: [first, second],
        refused: talk.provider.refused,
        stamps: stamps.split("\n").filter((line) => line !== ""),
        request: talk.provider.requests.find(({ tools }) => tools.length > 0) as NormalisedRequest,
      };
    },
    async [Symbol.asyncDispose]() {
      await stopKeeper(join(base, "store", "postgres"));
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Runs the turn. Contract: resolves when the process is gone; true when it was killed. */
async function live(base: string, agent: string, death: Death): Promise<boolean> {
  let kill = (): void => {};
  const script: Script = (request, count) => {
    const reply = workOrAnswer(request);
    if ("afterMs" in death && count === 0) setTimeout(() => kill(), death.afterMs);
    if (!("request" in death) || purposeOf(request) !== death.request) return reply;
    return { fault: { kind: "stall", where: death.where, reached: () => kill() }, reply };
  };
  await using provider = await startMockProvider(script);
  const task: MortalTask = {
    root: join(base, "root"),
    store: join(base, "store"),
    agent,
    model: "local/scripted",
    baseUrl: provider.openAiUrl,
    text: "work",
    past: 12,
    words: 500,
    ...("point" in death && { dies: death.point }),
  };
  const child = spawn(process.execPath, [MORTAL_AGENT, JSON.stringify(task)], {
    env: { PATH: process.env["PATH"], HOME: base, XDG_CONFIG_HOME: join(base, "config") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
  kill = () => void child.kill("SIGKILL");
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once("close", (...end) => resolve(end)),
  );
  if (signal === null && code !== 0) throw new Error(`The agent failed instead of dying:\n${complaints}`);
  return signal === "SIGKILL";
}

function purposeOf({ tools, system }: NormalisedRequest): "answer" | "summary" | "compaction" {
  if (tools.length > 0) return "answer";
  return system.includes("You shorten a text") ? "compaction" : "summary";
}

/** Works in three steps, each after the result of the one before; everything but work is answered. */
const workOrAnswer = (request: NormalisedRequest): ScriptedReply => {
  if (request.tools.length === 0) return { text: SHORT };
  const asked = request.turns.findLastIndex((turn) => turn.role === "user");
  const done = results({ ...request, turns: request.turns.slice(asked) });
  if (!lastUser(request).endsWith("work")) return { text: `whole again, ${results(request).length} results` };
  const steps = [
    { text: "I stamp it.", calls: [{ name: "stamp", input: { name: "one" } }] },
    { calls: [{ name: "file_write", input: { path: "ikigai:///blocks/notes.md", content: LONG } }] },
    { calls: [{ name: "slash_command", input: { command: "/compact notes" } }] },
  ];
  return steps[done.length] ?? { text: "All done." };
};
