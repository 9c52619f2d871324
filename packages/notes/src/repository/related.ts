import type { NoteGraph } from "../index-store/note-graph.ts";
import type { NoteRow } from "../index-store/note-row.ts";
import { tagKey } from "../markdown/tags.ts";
import type { TextHit } from "../search/text-index.ts";
import type { VectorHit } from "../search/vector-index.ts";
import type { Relation } from "./knowledge-repository.ts";

/** A note and why it is related. */
export interface RelatedRow {
  readonly row: NoteRow;
  readonly score: number;
  readonly relations: readonly Relation[];
}

const LINK_SCORE = 0.6;
const TEXT_WEIGHT = 0.5;

/**
 * Notes related to `row`, the most related first.
 *
 * Links count for 0.6 each way, a shared tag the more the fewer notes have it, similar text up to 0.5, and meaning as
 * the cosine says. Independent reasons add up like probabilities, so that none goes beyond 1.
 */
export function findRelatedRows(
  graph: NoteGraph,
  row: NoteRow,
  similar: readonly TextHit[],
  near: readonly VectorHit[],
  limit: number,
): RelatedRow[] {
  const relations = new Map<string, Relation[]>();
  const add = (uri: string, relation: Relation): void => {
    if (uri === row.uri || graph.get(uri) === undefined) return;
    const known = relations.get(uri);
    if (known === undefined) relations.set(uri, [relation]);
    else if (relation.tag !== undefined || !known.some(({ reason }) => reason === relation.reason))
      known.push(relation);
  };
  for (const { from } of graph.backlinks(row.uri)) add(from, { reason: "backlink_from", score: LINK_SCORE });
  for (const { to } of graph.forwardLinks(row.uri)) add(to, { reason: "forwardlink_to", score: LINK_SCORE });
  for (const [tag, uris] of sharedTags(graph, row)) {
    const score = round(1 / Math.log2(2 + uris.length));
    for (const uri of uris) add(uri, { reason: "shared_tag", score, tag });
  }
  const addNear = (uri: string, reason: "similar_text" | "similar_meaning", score: number): void => {
    if (score > 0) add(uri, { reason, score });
  };
  for (const { uri, score } of similar) addNear(uri, "similar_text", round(score * TEXT_WEIGHT));
  for (const { uri, score } of near) addNear(uri, "similar_meaning", round(score));
  return [...relations]
    .map(([uri, list]) => ({ row: graph.get(uri) as NoteRow, score: combine(list), relations: list }))
    .toSorted((one, other) => other.score - one.score || (one.row.uri < other.row.uri ? -1 : 1))
    .slice(0, limit);
}

function sharedTags(graph: NoteGraph, row: NoteRow): Map<string, string[]> {
  const own = new Map(row.tags.map((tag) => [tagKey(tag), tag]));
  const shared = new Map<string, string[]>();
  if (own.size === 0) return shared;
  for (const other of graph.rows()) {
    if (other.uri === row.uri) continue;
    for (const tag of other.tags) {
      const mine = own.get(tagKey(tag));
      if (mine === undefined) continue;
      const uris = shared.get(mine);
      if (uris === undefined) shared.set(mine, [other.uri]);
      else uris.push(other.uri);
    }
  }
  return shared;
}

function combine(relations: readonly Relation[]): number {
  return round(1 - relations.reduce((rest, { score }) => rest * (1 - Math.min(score, 0.99)), 1));
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
