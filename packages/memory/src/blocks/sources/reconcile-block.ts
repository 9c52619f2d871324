import { type Actor, type BlockInfo, messageOf, type TextContent } from "@ikigai/core";
import type { ReconcileStrategy } from "@ikigai/core/host";
import { assertPermitted, permissionFor } from "../block-access.ts";
import type { BlockOperations } from "../block-operations.ts";
import type { VisibleBlock } from "../block-store.ts";
import { assertOrigin, findWithSource, readSource, type RecordWithOrigin } from "./block-with-source.ts";
import {
  type DecidedStrategy,
  isModified,
  questionOf,
  type ReconcileQuestion,
  reconcileWith,
  undecided,
} from "./reconcile.ts";

/** Decides when a block and its source both changed. `undefined` leaves both as they are. */
export type AskReconcile = (question: ReconcileQuestion, actor: Actor) => Promise<DecidedStrategy | undefined>;

/** What became of one block when its source changed. */
export interface SourceChangeOutcome {
  readonly label: string;
  readonly owner: string;
  readonly outcome: "unchanged" | "reconciled" | "removed" | "failed";
  /** Why, when it failed. */
  readonly error?: string;
}

/**
 * Brings a block and the text of its source together.
 *
 * Contract: where the host itself acts (`checked` false) no permission of the block is needed.
 */
export async function bringTogether(
  operations: BlockOperations,
  visible: VisibleBlock,
  disk: TextContent | undefined,
  strategy: DecidedStrategy,
  actor: Actor,
  checked = true,
): Promise<VisibleBlock> {
  return operations.change(visible, actor, {
    work(document, record) {
      const present = assertOrigin(record);
      if (checked && strategy !== "merge" && isModified(document, present.origin)) {
        assertPermitted(record.label, permissionFor(visible, operations.sources), "update");
      }
      return reconcileWith(document, present, disk, strategy);
    },
  });
}

/** Reconciles one block with its source, for the agent that asks for it. */
export async function reconcileBlock(
  operations: BlockOperations,
  place: string,
  strategy: ReconcileStrategy,
  actor: Actor,
  ask: AskReconcile | undefined,
): Promise<BlockInfo> {
  const { visible, record, route } = await findWithSource(operations, place, actor);
  const disk = await readSource(route, actor);
  const decided = await decide(operations, record, disk, strategy, actor, ask);
  return operations.infoOf(await bringTogether(operations, visible, disk, decided, actor), actor);
}

/** Reconciles every block whose text comes from `uri`. Contract: never rejects for one block's sake. */
export async function reconcileBlocksOf(
  operations: BlockOperations,
  uri: string,
  strategy: ReconcileStrategy,
  ask: AskReconcile | undefined,
): Promise<readonly SourceChangeOutcome[]> {
  const route = operations.sources.route(uri);
  const outcomes: SourceChangeOutcome[] = [];
  for (const record of await operations.store.listByOrigin(route.uri)) {
    const { label, owner, revision } = record;
    const actor: Actor = { agent: owner, conversation: "", callId: "", tool: "watch" };
    try {
      const disk = await readSource(route, actor);
      const decided = await decide(operations, assertOrigin(record), disk, strategy, actor, ask);
      const after = await bringTogether(operations, { record }, disk, decided, actor, false);
      const moved = after.record.revision !== revision;
      const outcome = !moved ? "unchanged" : disk === undefined ? "removed" : "reconciled";
      outcomes.push({ label, owner, outcome });
    } catch (error) {
      outcomes.push({ label, owner, outcome: "failed", error: messageOf(error) });
    }
  }
  return outcomes;
}

async function decide(
  { shelf }: BlockOperations,
  record: RecordWithOrigin,
  disk: TextContent | undefined,
  strategy: ReconcileStrategy,
  actor: Actor,
  ask: AskReconcile | undefined,
): Promise<DecidedStrategy> {
  if (strategy !== "ask") return strategy;
  const { label, origin } = record;
  if (disk?.version === origin.version) return "merge";
  const question = await shelf.read(record, (document) =>
    isModified(document, origin) ? questionOf(document, label, origin.uri, disk?.text ?? "") : undefined,
  );
  if (question === undefined) return "merge";
  const decided = await ask?.(question, actor);
  if (decided === undefined) throw undecided(question);
  return decided;
}
