import { type TextContent, IkigaiError } from "@ikigai/core";
import type { ReconcileStrategy } from "@ikigai/core/host";
import { type BlockDocument, digestOf, frontiersOf, mergeTextAt, textOf } from "../document/block-document.ts";
import type { BlockOrigin, BlockRecord } from "../block-store.ts";
import { setText } from "../document/three-way.ts";
import { createUnifiedDiff } from "../../text/unified-patch.ts";
import { withOriginStep } from "../undo.ts";
import type { Change } from "../document/open-documents.ts";

export type DecidedStrategy = Exclude<ReconcileStrategy, "ask">;

/** Both sides of a block that was edited while its source changed. */
export interface ReconcileQuestion {
  readonly label: string;
  readonly uri: string;
  /** Unified diff from the source's text to the block's. */
  readonly diff: string;
}

/** Whether the block's text differs from what its source held when they last met. */
export function isModified(document: BlockDocument, origin: BlockOrigin): boolean {
  return frontiersOf(document) !== origin.frontiers && digestOf(textOf(document)) !== origin.digest;
}

/**
 * Brings the block and what its source holds now together.
 *
 * Contract: whatever the strategy, both texts are in the block's history afterwards, and a later save replaces exactly
 * the version of the source that was seen here. A source that was removed leaves the text alone: `disk_wins` lets go of
 * it, the others let a save create it again.
 */
export function reconcileWith(
  document: BlockDocument,
  record: BlockRecord & { readonly origin: BlockOrigin },
  disk: TextContent | undefined,
  strategy: DecidedStrategy,
): Change | undefined {
  const { origin } = record;
  if ((disk?.version ?? null) === origin.version) return undefined;
  const operation = `reconcile ${strategy}`;
  if (disk === undefined) {
    const gone = strategy === "disk_wins" ? null : { ...origin, version: null };
    return { operation, set: { origin: gone } };
  }
  const before = frontiersOf(document);
  const mine = textOf(document);
  const frontiers = mergeTextAt(document, origin.frontiers, disk.text);
  const met: BlockOrigin = { uri: origin.uri, version: disk.version, frontiers, digest: digestOf(disk.text) };
  if (strategy === "merge") return { operation, set: { origin: met } };
  setText(document.doc, "content", strategy === "disk_wins" ? disk.text : mine);
  document.doc.commit();
  if (strategy === "agent_wins") return { operation, set: { origin: met } };
  const after = frontiersOf(document);
  const steps = disk.text === mine ? {} : withOriginStep(record, { before, after });
  return { operation, set: { origin: { ...met, frontiers: after }, ...steps } };
}

/** Contract: throws `conflict` with both sides when nobody can be asked. */
export function undecided({ label, uri, diff }: ReconcileQuestion): IkigaiError {
  return new IkigaiError("conflict", `"${label}" was edited here and ${uri} was changed there`, {
    hint: "Choose disk_wins, agent_wins or merge.",
    details: { diff: diff.slice(0, MAX_DIFF) },
  });
}

const MAX_DIFF = 4_000;

export function questionOf(document: BlockDocument, label: string, uri: string, disk: string): ReconcileQuestion {
  return { label, uri, diff: createUnifiedDiff(disk, textOf(document), { before: uri, after: label }) };
}
