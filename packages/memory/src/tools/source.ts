import { type Actor, type AnyTool, defineTool, type Effect } from "@ikigai/core";
import type { PulledEvents, SourceManager, SourceStatus } from "@ikigai/core/host";
import { z } from "zod";
import type { BlockContents } from "../blocks/block-contents.ts";
import { callOptions } from "../files/file-access.ts";
import { assertOperationFields, type OperationFields } from "./operation-fields.ts";

const operations = {
  pause: "Stop the notices of a stream; nothing that it can replay is lost.",
  resume: "Let the notices of a stream come again.",
  status: "Give the state of one source, or of all without source_id.",
  list: "List all sources, each as stream or block.",
  pull: "Give the events of a stream that came since the last pull, oldest first; wait_ms waits for one when none is there.",
} as const;

type Op = keyof typeof operations;

const OPS = Object.keys(operations) as [Op, ...Op[]];

const fields: Readonly<Record<Op, OperationFields>> = {
  pause: { required: ["source_id"] },
  resume: { required: ["source_id"] },
  status: { required: [], optional: ["source_id"] },
  list: { required: [] },
  pull: { required: ["source_id"], optional: ["after", "limit", "wait_ms"] },
};

const DEFAULT_EVENTS = 50;
const MAX_EVENTS = 500;
const MAX_WAIT_MS = 60_000;

const input = z.strictObject({
  op: z.enum(OPS),
  source_id: z.string().optional().describe("The name that the source is mounted under"),
  after: z
    .string()
    .optional()
    .describe("pull: the cursor of an event, to go on behind it instead; empty for all that are kept"),
  limit: z.int().min(1).max(MAX_EVENTS).optional().describe(`pull: how many events at most. Default ${DEFAULT_EVENTS}`),
  wait_ms: z.int().min(0).max(MAX_WAIT_MS).optional().describe("pull: milliseconds to wait for an event. Default 0"),
});

const info = z.looseObject({
  source_id: z.string(),
  type: z.enum(["block", "stream"]),
  name: z.string(),
  state: z.string().optional(),
});

const output = z.looseObject({
  sources: z.array(info).optional().describe("list, status"),
  message: z.string().optional().describe("pause, resume"),
  source: info.optional(),
  events: z
    .array(z.looseObject({ cursor: z.string(), at: z.string(), text: z.string() }))
    .optional()
    .describe("pull: oldest first"),
  left: z.int().optional().describe("pull: how many more can be pulled"),
  missed: z.int().optional().describe("pull: how many were dropped before they could be pulled"),
});

type Input = z.output<typeof input>;

export interface SourceToolOptions {
  readonly sources: SourceManager;
  /** Used to list the blocks that are loaded from a source. */
  readonly blocks?: Pick<BlockContents, "list">;
  /** Whether the host watches a source. Default: it does not say. */
  readonly watching?: (mount: string) => boolean;
}

interface SourceInfo {
  readonly source_id: string;
  readonly type: "block" | "stream";
  readonly name: string;
  readonly state: string;
  readonly capabilities: readonly string[];
  readonly tools: readonly string[];
  readonly cursor?: string;
  readonly taken?: string;
  readonly error?: string;
  readonly watching?: boolean;
  readonly loaded_blocks?: readonly string[];
}

/** Control over what is mounted. */
export function createSourceTool({ sources, blocks, watching }: SourceToolOptions): AnyTool {
  async function describe(status: SourceStatus, actor: Actor): Promise<SourceInfo> {
    const { mount, kind, name, state, capabilities, tools, cursor, taken, error } = status;
    const base: SourceInfo = {
      source_id: mount,
      type: kind,
      name,
      state,
      capabilities,
      tools,
      ...(cursor !== undefined && { cursor }),
      ...(taken !== undefined && { taken }),
      ...(error !== undefined && { error }),
    };
    if (kind === "stream") return base;
    // Their labels only: to say more of them would read their texts.
    const visible = await blocks?.list(actor);
    const loaded = visible?.filter(({ origin }) => origin?.uri.startsWith(`${mount}:///`));
    return {
      ...base,
      ...(watching !== undefined && { watching: watching(mount) }),
      ...(loaded !== undefined && { loaded_blocks: loaded.map(({ label }) => label) }),
    };
  }

  const find = (mount: string): SourceStatus => sources.status(mount)[0] as SourceStatus;

  function effects(call: Input): readonly Effect[] {
    assertOperationFields("source", call, fields);
    const { op, source_id: mount } = call;
    const target = `source:///${mount ?? ""}`;
    const acts = (op === "pause" || op === "resume") && find(mount as string).kind === "stream";
    return [{ action: acts ? "admin" : "read", target }];
  }

  return defineTool({
    name: "source",
    title: "Control sources",
    description:
      "Shows the sources that are mounted, gives the events of those that send some, and pauses and resumes them.",
    input,
    output,
    operations,
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    effects,
    async run(call, context) {
      assertOperationFields("source", call, fields);
      const { actor } = callOptions(context);
      const { op, source_id: mount } = call;
      if (op === "list") {
        return { sources: sources.status().map(({ mount: id, kind, name }) => ({ source_id: id, type: kind, name })) };
      }
      if (op === "status") {
        const found = sources.status(mount);
        return { sources: await Promise.all(found.map((status) => describe(status, actor))) };
      }
      const id = mount as string;
      if (op === "pull") return pullEvents(sources, id, call, context.signal);
      if (find(id).kind === "block") {
        const source = await describe(find(id), actor);
        return { message: `"${id}" holds text and sends no events, so there is nothing to ${op}`, source };
      }
      if (op === "pause") sources.pause(id);
      else sources.resume(id);
      const source = await describe(find(id), actor);
      return { message: `"${id}" is ${source.state}`, source };
    },
  });
}

interface PullRequest {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  readonly wait_ms?: number | undefined;
}

/** Contract: what is given counts as taken, so that neither the next pull nor the next host gives it again. */
async function pullEvents(
  sources: SourceManager,
  mount: string,
  { after, limit = DEFAULT_EVENTS, wait_ms: waitMs = 0 }: PullRequest,
  signal: AbortSignal,
): Promise<object> {
  const behind = after ?? sources.status(mount)[0]?.taken;
  const pull = (): PulledEvents =>
    sources.pull(mount, { limit: Number.MAX_SAFE_INTEGER, ...(behind !== undefined && { after: behind }) });
  let pulled = pull();
  if (pulled.events.length === 0 && waitMs > 0) {
    await nextEvent(sources, mount, waitMs, signal);
    pulled = pull();
  }
  const events = pulled.events.slice(0, limit);
  const last = events.at(-1);
  if (last !== undefined && after === undefined) sources.taken(mount, last.cursor);
  return {
    events: events.map(({ at, ...event }) => ({ ...event, at: at.toISOString() })),
    left: pulled.events.length - events.length,
    missed: pulled.missed,
  };
}

/** Resolves when the stream sends something, or the time is up. */
async function nextEvent(sources: SourceManager, mount: string, ms: number, signal: AbortSignal): Promise<void> {
  let stop: (() => void) | undefined;
  const came = new Promise<void>((resolve) => (stop = resolve));
  const timer = setTimeout(() => stop?.(), ms);
  const listening = sources.onEvent((notice) => {
    if (notice.mount === mount) stop?.();
  });
  const onAbort = (): void => stop?.();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await came;
    signal.throwIfAborted();
  } finally {
    clearTimeout(timer);
    listening[Symbol.dispose]();
    signal.removeEventListener("abort", onAbort);
  }
}
