import { type AnyTool, defineTool, type Effect, IkigaiError, messageOf } from "@ikigai/core";
import { z } from "zod";
import type { Inserted, NewEntry, RecallKind, RecallStore, SearchRequest } from "./contract.ts";
import { describeHit, type HitData } from "./recall-answer.ts";
import { recallText } from "./recall-text.ts";

const SCOPES = {
  entries: ["entry"],
  blocks: ["block"],
  turns: ["turn"],
  assets: ["asset"],
  all: ["entry", "block", "turn", "asset"],
} as const satisfies Record<string, readonly RecallKind[]>;

const KIND_FOLDERS = { entry: "entries", block: "blocks", turn: "turns", asset: "assets" } as const;

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
// Checks that a schema would spell out for every prompt are made by refinements instead.
const moment = z
  .string()
  .refine((text) => ISO_8601.test(text), { error: "not an ISO 8601 date", abort: true })
  .refine((text) => !Number.isNaN(Date.parse(text)), "no such date");
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const bound = z.union([z.string(), z.number()]);
const condition = z.strictObject({
  eq: scalar.optional(),
  in: z.array(scalar).optional(),
  gt: bound.optional(),
  gte: bound.optional(),
  lt: bound.optional(),
  lte: bound.optional(),
  contains: scalar.optional(),
});
const filter = z.record(z.string(), z.union([scalar, condition]));

const input = z.strictObject({
  op: z.enum(["insert", "search"]),
  content: z.string().optional().describe("insert: what to remember, complete in itself"),
  metadata: z.record(z.string(), z.unknown()).optional().describe("insert: facts about it, for filters"),
  thread: z.string().optional().describe("insert: what it belongs to"),
  order: z.number().optional().describe("insert: its place in the thread"),
  occurred_at: moment.optional().describe("insert: when it happened, ISO 8601"),
  supersedes: z.string().optional().describe("insert: id of the entry that this one corrects"),
  query: z.string().optional().describe("search: words, names, dates, in any language"),
  limit: z.int().min(1).max(200).optional().describe("search: how many results, default 10"),
  filter: z
    .record(z.string(), z.unknown())
    .superRefine((value, context) => {
      for (const { message, path } of filter.safeParse(value).error?.issues ?? [])
        context.addIssue({ code: "custom", message, path });
    })
    .optional()
    .describe(
      'search: metadata that must match, as {"project":"x"} or {"year":{"gte":2020}} or {"tags":{"contains":"a"}}',
    ),
  since: moment.optional().describe("search: only what happened at or after"),
  until: moment.optional().describe("search: only what happened before"),
  scope: z.enum(["entries", "blocks", "turns", "assets", "all"]).optional().describe("search: where, default all"),
});

const output = z.looseObject({
  id: z.string().optional().describe("insert: of the entry"),
  stored: z.boolean().optional().describe("insert: false when it was there already"),
  message: z.string().optional(),
  results: z
    .array(z.looseObject({ id: z.string(), kind: z.string(), content: z.string(), score: z.number() }))
    .optional()
    .describe("search: best first"),
  notes: z.array(z.string()).optional().describe("search: what it had to do without"),
});

type Input = z.output<typeof input>;

const FIELDS: Readonly<Record<Input["op"], readonly (keyof Input)[]>> = {
  insert: ["content", "metadata", "thread", "order", "occurred_at", "supersedes"],
  search: ["query", "limit", "filter", "since", "until", "scope"],
};

export interface RecallToolOptions {
  /** Moment that "yesterday" in a query is relative to. Default: the clock. */
  readonly now?: () => Date;
  /**
   * Brings the copies of other texts up to date before they are searched. Default: they are searched as they are.
   *
   * Contract: a failure costs the search only what could not be brought up to date, and the answer says so.
   */
  readonly refresh?: (
    kinds: readonly RecallKind[],
    call: { readonly owner: string; readonly conversation: string; readonly signal: AbortSignal },
  ) => Promise<void>;
}

/** What an insert answers. */
export interface InsertData {
  readonly id: string;
  readonly stored: boolean;
  /** The entry that holds now, when this content was corrected before. */
  readonly superseded_by?: string;
  readonly message: string;
}

/** What a search answers. */
export interface SearchData {
  readonly results: readonly HitData[];
  /** What the search had to do without, such as an embedder, in words. */
  readonly notes?: readonly string[];
}

/** The `recall` tool: the acting agent's archive of immutable entries. */
export function createRecallTool(
  store: RecallStore,
  { now = () => new Date(), refresh }: RecallToolOptions = {},
): AnyTool {
  return defineTool({
    name: "recall",
    title: "Recall",
    description:
      "Long-term memory across conversations: remember and recall. Save a fact, a decision, a preference or an event, one " +
      "per entry; search what was saved, remembered or said before. Entries never change: correct one with supersedes.",
    input,
    output,
    operations: {
      insert: "saves content for good and gives its id.",
      search: "finds entries, memory texts, blocks and past turns for a query, best first.",
    },
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    effects: (call) => effectsOf(call),
    async run(call, { agent, conversation, tool, signal }): Promise<InsertData | SearchData> {
      assertFields(call);
      const context = { owner: agent, signal, now: now() };
      if (call.op === "search") {
        const notes: string[] = [];
        const copied = SCOPES[call.scope ?? "all"].filter((kind) => kind !== "entry");
        if (copied.length > 0) {
          await refresh?.(copied, { owner: agent, conversation, signal }).catch((error: unknown) => {
            signal.throwIfAborted();
            notes.push(
              `some ${copied.map((kind) => KIND_FOLDERS[kind]).join(", ")} may be out of date: ${messageOf(error)}`,
            );
          });
        }
        const hits = await store.search(toRequest(call), { ...context, warn: (message) => void notes.push(message) });
        return { results: hits.map(describeHit), ...(notes.length > 0 && { notes }) };
      }
      const entry = { ...toEntry(call), provenance: { agent, conversation, tool } };
      const [inserted] = await store.insert([entry], context);
      const done = inserted as Inserted;
      const by = done.supersededBy;
      return {
        id: done.id,
        stored: done.stored,
        ...(by !== undefined && { superseded_by: by }),
        message: messageFor(done, call.supersedes),
      };
    },
    toText: recallText,
  });
}

function effectsOf({ op, scope = "all", supersedes }: Input): readonly Effect[] {
  if (op === "search")
    return SCOPES[scope].map((kind) => ({ action: "read", target: `recall:///${KIND_FOLDERS[kind]}` }));
  const created: Effect = { action: "create", target: "recall:///entries" };
  return supersedes === undefined
    ? [created]
    : [created, { action: "update", target: `recall:///entries/${supersedes}` }];
}

/** Contract: `invalid_input` unless the call has what its operation needs and nothing that belongs to the other. */
function assertFields(call: Input): void {
  const other = call.op === "insert" ? "search" : "insert";
  const stray = FIELDS[other].find((field) => call[field] !== undefined);
  const needed = call.op === "insert" ? "content" : "query";
  if (stray !== undefined) {
    throw new IkigaiError("invalid_input", `recall: "${stray}" belongs to ${other}, not to ${call.op}`, {
      hint: `With op "${call.op}" use: ${FIELDS[call.op].join(", ")}.`,
    });
  }
  if (call[needed] !== undefined) return;
  throw new IkigaiError("invalid_input", `recall: ${call.op} needs "${needed}"`, { hint: `Give "${needed}".` });
}

function toEntry({ content = "", metadata, thread, order, occurred_at, supersedes }: Input): NewEntry {
  return {
    content,
    ...(metadata !== undefined && { metadata }),
    ...(thread !== undefined && { thread }),
    ...(order !== undefined && { order }),
    ...(occurred_at !== undefined && { occurredAt: utc(occurred_at) }),
    ...(supersedes !== undefined && { supersedes }),
  };
}

function toRequest({ query = "", limit, filter, since, until, scope = "all" }: Input): SearchRequest {
  return {
    query,
    kinds: SCOPES[scope],
    ...(limit !== undefined && { limit }),
    ...(filter !== undefined && { filter: filter as NonNullable<SearchRequest["filter"]> }),
    ...(since !== undefined && { since: utc(since) }),
    ...(until !== undefined && { until: utc(until) }),
  };
}

/** A time without a zone is UTC, on every machine. */
function utc(text: string): Date {
  return new Date(/T.*(?:Z|[+-]\d{2}:\d{2})$/.test(text) || !text.includes("T") ? text : `${text}Z`);
}

function messageFor({ id, recognised, supersededBy, otherMetadata }: Inserted, supersedes: string | undefined): string {
  const corrected = supersedes === undefined || supersedes === id ? "" : ` It takes the place of entry ${supersedes}.`;
  if (recognised === "same_content") {
    const kept = otherMetadata === true ? " It keeps its own metadata, which differs from what you gave." : "";
    return `Entry ${id} has this content already; nothing was stored.${kept}${corrected}`;
  }
  if (recognised === "superseded")
    return (
      `Entry ${id} had this content and was corrected by entry ${supersededBy}; nothing was stored. ` +
      `If it holds again, insert it with supersedes ${supersededBy}.`
    );
  if (recognised === "recalled_text")
    return `This text came from recall (entry ${id}); nothing was stored.${corrected}`;
  return `Stored as entry ${id}.${corrected}`;
}
