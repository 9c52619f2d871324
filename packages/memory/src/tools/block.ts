import {
  type Actor,
  type AnyTool,
  defineTool,
  type Effect,
  IkigaiError,
  type MemoryPermission,
  type PlanContext,
  type ToolContext,
} from "@ikigai/core";
import { createPlanner, PERMISSION_ORDER, type Plan, type SourceManager } from "@ikigai/core/host";
import { z } from "zod";
import { labelOf } from "../blocks/block-access.ts";
import { type BlockService, blockTarget } from "../blocks/blocks.ts";
import { callOptions } from "../files/file-access.ts";
import { assertJudged, changedSinceJudged, effectsBeyond } from "./judged-effects.ts";
import { modernRange } from "./line-range.ts";
import { type BlockMetadata, blockMetadataSchema } from "./block-metadata.ts";
import {
  createBlockSourceOperations,
  isSourceOperation,
  SOURCE_OPERATION_FIELDS,
  SOURCE_OPERATIONS,
  type SourceOperation,
} from "./block-source-operations.ts";
import { assertOperationFields, type OperationFields } from "./operation-fields.ts";

/** Characters of an agent's name, which the store looks up by an index. */
const MAX_AGENT = 256;

const operations = {
  load: "Bring a block into the working context. With source_id, label is a path in that source and its text is loaded.",
  pin: "Keep the block in context until it is unpinned.",
  unpin: "Let the block leave the context.",
  archive: "Make a working block archival.",
  info: "Give the block's metadata.",
  viewport: "Show only limit lines from line offset on; without both, the whole text again.",
  share: "Let another agent see the block, and change it as far as permission says.",
  unshare: "End the sharing with an agent.",
  ...SOURCE_OPERATIONS,
} as const;

type Op = keyof typeof operations;

const OPS = Object.keys(operations) as [Op, ...Op[]];

const fields: Readonly<Record<Op, OperationFields>> = {
  load: { required: ["label"], optional: ["source_id"] },
  pin: { required: ["label"] },
  unpin: { required: ["label"] },
  archive: { required: ["label"] },
  info: { required: ["label"] },
  viewport: { required: ["label"], optional: ["offset", "limit"] },
  share: { required: ["label", "agent", "permission"] },
  unshare: { required: ["label", "agent"] },
  ...SOURCE_OPERATION_FIELDS,
};

const input = z.strictObject({
  op: z.enum(OPS),
  label: z.string().min(1).describe("The block's label, or the path or address that its text comes from"),
  source_id: z.string().optional().describe("load: the mounted source to load from"),
  offset: z.int().min(1).optional().describe("viewport: the first line to show, counted from 1"),
  limit: z.int().min(1).optional().describe("viewport: how many lines to show"),
  agent: z.string().min(1).max(MAX_AGENT).optional().describe("share, unshare: the other agent"),
  permission: z.enum(PERMISSION_ORDER).optional().describe("share: how far the other agent may change the block"),
});

type Input = z.output<typeof input>;

/** Effects and version that a call was judged by. */
interface Judged {
  readonly effects: readonly Effect[];
  /** Version of the block that is saved. */
  readonly version: string | undefined;
}

export interface BlockToolsOptions {
  readonly blocks: BlockService;
  readonly sources: SourceManager;
}

/** The life of blocks: load, pin, archive, show, share. */
export function createBlockTool({ blocks, sources }: BlockToolsOptions): AnyTool {
  const withSource = createBlockSourceOperations(blocks, sources);
  const own = ownOperations(blocks);

  async function effects(call: Input, context: PlanContext): Promise<readonly Effect[]> {
    assertOperationFields("block", call, fields);
    const { actor } = callOptions(context);
    if (call.op === "load") return loadEffects({ blocks, sources }, placeOf(call), actor);
    if (isSourceOperation(call.op)) return withSource.effects(call.op, call.label, actor);
    const { label } = await blocks.info(call.label, actor);
    const target = blockTarget(label);
    if (call.op === "info") return [{ action: "read", target }];
    if (call.op === "archive") return [{ action: "update", target }];
    if (call.op === "share" || call.op === "unshare") return [{ action: "admin", target: shareTarget(label) }];
    return [
      { action: "read", target },
      { action: "update", target: contextTarget(label) },
    ];
  }

  const planner = createPlanner(async (call: Input, context: PlanContext): Promise<Plan<Judged>> => {
    const declared = await effects(call, context);
    const version =
      call.op === "save" ? (await blocks.info(call.label, callOptions(context).actor)).version : undefined;
    return { effects: declared, work: () => ({ effects: declared, version }) };
  });

  /** Contract: `conflict` unless the call still does what was judged; a load that does more is judged again. */
  async function assertStillSo(call: Input, context: ToolContext): Promise<void> {
    const judged = await planner.work(call, context);
    const now = await effects(call, context);
    if (call.op === "load") return context.permit(effectsBeyond(judged.effects, now));
    assertJudged("block", judged.effects, now);
    if (judged.version === undefined) return;
    const { label, version } = await blocks.info(call.label, callOptions(context).actor);
    if (version !== judged.version)
      throw changedSinceJudged(`The block "${label}" was edited since its save was judged`);
  }

  return defineTool({
    name: "block",
    title: "Manage blocks",
    description:
      "Manages blocks: pieces of text that are kept in memory with their history. Gives the block's metadata; load and " +
      "viewport also give its text. To change the text use block_edit, then save writes it back to its source.",
    input,
    output: blockMetadataSchema(),
    operations,
    modernise: (args) => modernRange(args, { first: "start_line", count: "display_lines" }),
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    effects: planner.effects,
    async preview(call, context) {
      const { actor } = callOptions(context);
      return call.op === "save"
        ? withSource.preview(call.label, actor)
        : {
            description: `block ${Object.entries(call)
              .map(([name, value]) => `${name}=${String(value)}`)
              .join(" ")}`,
          };
    },
    async run(call, context) {
      assertOperationFields("block", call, fields);
      await assertStillSo(call, context);
      const { actor } = callOptions(context);
      return isSourceOperation(call.op) ? withSource.run(call.op, call.label, actor) : own[call.op](call, actor);
    },
  });
}

/** What bringing a block into the working context touches. */
async function loadEffects(
  { blocks, sources }: BlockToolsOptions,
  place: string,
  actor: Actor,
): Promise<readonly Effect[]> {
  const [status] = await blocks.status({ place }, actor).catch((error: unknown) => {
    if (IkigaiError.is(error, "not_found")) return [];
    throw error;
  });
  if (status === undefined) {
    const route = sources.route(place);
    const label = labelOf(route);
    return [
      { action: "read", target: route.uri },
      { action: "create", target: blockTarget(label) },
    ];
  }
  const effects: Effect[] = [{ action: "read", target: blockTarget(status.label) }];
  if (status.origin !== undefined) effects.push({ action: "read", target: status.origin.uri });
  if (status.source === "changed") effects.push({ action: "update", target: contextTarget(status.label) });
  if (status.type === "archival") effects.push({ action: "update", target: blockTarget(status.label) });
  return effects;
}

/** Operations that concern the block itself, and not the source of its text. */
type OwnOperations = Readonly<
  Record<Exclude<Op, SourceOperation>, (call: Input, actor: Actor) => Promise<BlockMetadata>>
>;

function ownOperations(blocks: BlockService): OwnOperations {
  return {
    async load(call, actor) {
      const loaded = await blocks.load(placeOf(call), actor);
      return { ...loaded, content: await blocks.view(loaded.label, actor) };
    },
    pin: ({ label }, actor) => blocks.pin(label, actor),
    unpin: ({ label }, actor) => blocks.unpin(label, actor),
    archive: ({ label }, actor) => blocks.archive(label, actor),
    info: ({ label }, actor) => blocks.info(label, actor),
    async viewport(call, actor) {
      const shown = await blocks.setViewport(call.label, viewportOf(call), actor);
      return { ...shown, content: await blocks.view(shown.label, actor) };
    },
    share: ({ label, agent, permission }, actor) =>
      blocks.share(label, agent as string, permission as MemoryPermission, actor),
    unshare: ({ label, agent }, actor) => blocks.unshare(label, agent as string, actor),
  };
}

/** What an agent holds in its context, as opposed to what a block contains. */
const contextTarget = (label: string): string => `context:///${label}`;

/** Who sees a block, as opposed to what it contains: the block's own permission says nothing of it, the mode does. */
const shareTarget = (label: string): string => `share:///${label}`;

function placeOf({ label, source_id: source }: Input): string {
  if (source === undefined || label.startsWith(`${source}:///`)) return label;
  return `${source}:///${label}`;
}

function viewportOf({ offset, limit }: Input): { start_line: number; display_lines: number } | undefined {
  if (offset === undefined && limit === undefined) return undefined;
  if (offset !== undefined && limit !== undefined) return { start_line: offset, display_lines: limit };
  throw new IkigaiError("invalid_input", "block: a viewport needs offset and limit, or neither", {
    hint: "Give both, or leave both out to see the whole text.",
  });
}
