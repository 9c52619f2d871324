import { createHash } from "node:crypto";
import { IkigaiError, messageOf } from "@ikigai/core";
import type { LoroDoc } from "loro-crdt/base64";
import { type BlockSchema, leavesOf } from "../block-schema.ts";
import { type BlockState, type LeafState, mergeLeaf, readState, sameState, writeLeaf } from "./block-state.ts";
import type { EditStep, Frontiers, StoredDocument } from "../block-store.ts";
import { libraries } from "./libraries.ts";
import { renderBlock } from "../render-block.ts";
import { mergeTexts, setText } from "./three-way.ts";
import { exportPieces, importPieces, packPieces, unpackPieces } from "./update-bytes.ts";

/** The content of one block: a Loro document whose containers follow the schema. */
export interface BlockDocument {
  readonly doc: LoroDoc;
  readonly schema: BlockSchema;
}

/** Contract: `initial` fills sections by name; the rest has the defaults of the schema. */
export function createBlockDocument(schema: BlockSchema, initial: BlockState = new Map()): BlockDocument {
  const doc = new libraries.loro.LoroDoc();
  for (const { name, schema: leaf } of leavesOf(schema)) {
    const value = initial.get(name) ?? ("default" in leaf ? leaf.default : undefined);
    if (value !== undefined) writeLeaf(doc, name, value);
  }
  doc.commit();
  return { doc, schema };
}

export interface OpenedDocument {
  readonly document: BlockDocument;
  /** Why newer snapshots were passed over. */
  readonly refused: readonly string[];
}

/**
 * The document as it was stored.
 *
 * Contract: a damaged snapshot is refused and the one before it is used with every update behind that, so nothing is
 * lost; when that cannot be done either, throws `unavailable`. What is stored is never touched.
 */
export function openBlockDocument(label: string, schema: BlockSchema, stored: StoredDocument): OpenedDocument {
  const refused: string[] = [];
  for (const { revision, bytes } of stored.snapshots) {
    const document: BlockDocument = { doc: new libraries.loro.LoroDoc(), schema };
    try {
      // Bytes that were read from a database may be a view of a larger buffer.
      importPieces(document.doc, [bytes.slice()]);
    } catch (error) {
      refused.push(`snapshot ${revision} of "${label}": ${messageOf(error)}`);
      continue;
    }
    for (const update of stored.updates) {
      if (update.revision > revision) importUpdate(label, document, update.bytes);
    }
    return { document, refused };
  }
  throw damaged(label, refused.join("; "));
}

/** Contract: the document is as it was when this throws. */
export function importUpdate(label: string, document: BlockDocument, bytes: Uint8Array): void {
  try {
    importPieces(document.doc, unpackPieces(bytes));
  } catch (cause) {
    throw damaged(label, messageOf(cause), cause);
  }
}

/** What happened since a state, as bytes for {@link importUpdate} of a replica. */
export function exportUpdate({ doc }: BlockDocument, since: Frontiers): Uint8Array {
  return packPieces(exportPieces(doc, parseFrontiers(since)));
}

export function stateOf({ doc, schema }: BlockDocument): BlockState {
  return readState(doc, schema);
}

export function textOf(document: BlockDocument): string {
  return renderBlock(document.schema, stateOf(document));
}

/** What `use` makes of the document as it was at that state, apart from this one. Contract: gone when `use` returns. */
export function atState<Result>(
  { doc, schema }: BlockDocument,
  frontiers: Frontiers,
  use: (document: BlockDocument) => Result,
): Result {
  const fork = doc.forkAt(parseFrontiers(frontiers));
  try {
    return use({ doc: fork, schema });
  } finally {
    fork.free();
  }
}

export function frontiersOf({ doc }: BlockDocument): Frontiers {
  return doc
    .frontiers()
    .map(({ peer, counter }) => `${peer}@${counter}`)
    .toSorted()
    .join(",");
}

/** A short name of a state, the same wherever it is computed. */
export function versionOf(frontiers: Frontiers): string {
  return digestOf(frontiers);
}

/** Digest of a text: texts that differ have different digests. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/**
 * Takes a step back and keeps everything that others changed since.
 *
 * Contract: resolves to whether anything was left to take back.
 */
export function revertStep(document: BlockDocument, { before, after }: EditStep): boolean {
  const wanted = atState(document, before, stateOf);
  const base = atState(document, after, stateOf);
  let changed = false;
  for (const [name, now] of stateOf(document)) {
    const [from, to] = [base.get(name) as LeafState, wanted.get(name) as LeafState];
    if (sameState(from, to)) continue;
    const target = mergeLeaf(from, now, to);
    if (sameState(now, target)) continue;
    writeLeaf(document.doc, name, target);
    changed = true;
  }
  document.doc.commit();
  return changed;
}

/**
 * Merges a text that was made out of the state at `base`: its difference is applied there and then joins what happened
 * here. Gives the state that equals that text.
 */
export function mergeTextAt(document: BlockDocument, base: Frontiers, text: string): Frontiers {
  return atState(document, base, (fork) => {
    const merged = mergeTexts(textOf(fork), textOf(document), text);
    setText(fork.doc, "content", text);
    fork.doc.commit();
    importPieces(document.doc, exportPieces(fork.doc, parseFrontiers(base)));
    // What was changed here and taken back consists of new characters, which the fork does not know; only what the two
    // sides changed in the end counts.
    setText(document.doc, "content", merged);
    document.doc.commit();
    return merged === text ? frontiersOf(document) : frontiersOf(fork);
  });
}

function parseFrontiers(frontiers: Frontiers): { peer: `${number}`; counter: number }[] {
  if (frontiers === "") return [];
  return frontiers.split(",").map((id) => {
    const [peer, counter] = id.split("@");
    return { peer: peer as `${number}`, counter: Number(counter) };
  });
}

function damaged(label: string, how: string, cause?: unknown): IkigaiError {
  return new IkigaiError("unavailable", `The stored state of the block "${label}" is damaged: ${how}`, {
    hint: "Tell the user; what is stored was left as it is.",
    ...(cause !== undefined && { cause }),
  });
}
