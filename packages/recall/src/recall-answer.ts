import { excerptOf } from "./excerpt.ts";
import type { Metadata, Provenance, RecallHit, RecallKind } from "./contract.ts";

/** One result as the model sees it. */
export interface HitData {
  readonly id: string;
  readonly kind: RecallKind;
  readonly label: string;
  readonly content: string;
  /** Present when `content` is a part of a longer text: where it begins there. */
  readonly excerpt?: { readonly start_line: number; readonly total_lines: number };
  readonly score: number;
  readonly created_at: string;
  readonly metadata: Metadata;
  readonly why: {
    readonly words: readonly string[];
    readonly also: readonly string[];
    readonly vector?: number;
    readonly model?: string;
  };
  readonly provenance: Provenance;
  readonly address: string;
  readonly thread?: string;
  readonly order?: number;
  readonly occurred_at?: string;
  readonly supersedes?: string;
}

export function describeHit(hit: RecallHit): HitData {
  const { id, kind, label, content, score, why, metadata, provenance, thread, order, occurredAt, supersedes } = hit;
  const part = kind === "entry" ? undefined : excerptOf(content, why.words);
  return {
    id,
    kind,
    label,
    content: part?.text ?? content,
    ...(part !== undefined && { excerpt: { start_line: part.start_line, total_lines: part.total_lines } }),
    score: Math.round(score * 1_000) / 1_000,
    created_at: hit.createdAt.toISOString(),
    metadata,
    why,
    provenance,
    address: hit.address ?? `recall:///entries/${id}`,
    ...(thread !== undefined && { thread }),
    ...(order !== undefined && { order }),
    ...(occurredAt !== undefined && { occurred_at: occurredAt.toISOString() }),
    ...(supersedes !== undefined && { supersedes }),
  };
}
