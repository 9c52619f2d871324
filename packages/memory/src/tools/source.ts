import { type Actor, type AnyTool, defineTool, type Effect, type SourceManager, type SourceStatus } from "@ikigai/core";
import { z } from "zod";
import type { BlockContents } from "../block-contents.ts";
import { callOptions } from "../file-access.ts";
import { assertOperationFields, type OperationFields } from "./operation-fields.ts";

const operations = {
  pause: "Stop the notices of a stream; nothing that it can replay is lost.",
  resume: "Let the notices of a stream come again.",
  status: "Give the state of one source, or of all without source_id.",
  list: "List all sources, each as stream or block.",
} as const;

type Op = keyof typeof operations;

const OPS = Object.keys(operations) as [Op, ...Op[]];

const fields: Readonly<Record<Op, OperationFields>> = {
  pause: { required: ["source_id"] },
  resume: { required: ["source_id"] },
  status: { required: [], optional: ["source_id"] },
  list: { required: [] },
};

const input = z.strictObject({
  op: z.enum(OPS),
  source_id: z.string().optional().describe("The name that the source is mounted under"),
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
});

type Input = z.output<typeof input>;

export interface SourceToolOptions {
  readonly sources: SourceManager;
  /** For saying which blocks are loaded from a source. */
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
  readonly error?: string;
  readonly watching?: boolean;
  readonly loaded_blocks?: readonly string[];
}

/** Control over what is mounted. */
export function createSourceTool({ sources, blocks, watching }: SourceToolOptions): AnyTool {
  async function describe(status: SourceStatus, actor: Actor): Promise<SourceInfo> {
    const { mount, kind, name, state, capabilities, tools, cursor, error } = status;
    const base: SourceInfo = {
      source_id: mount,
      type: kind,
      name,
      state,
      capabilities,
      tools,
      ...(cursor !== undefined && { cursor }),
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
    description: "Shows the sources that are mounted, and pauses and resumes those that send events.",
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
