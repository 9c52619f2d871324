import type { StoredManifest } from "@ikigai/core/host";

/** So many entries of the base, beginning with one of them; or an entry that the base does not have. */
type Piece = readonly [from: number, count: number] | readonly [entry: unknown];

/**
 * A manifest told as its difference to an earlier one, since most of a request is what the one before had.
 *
 * Contract: {@link fromDelta} with the same base gives the manifest again.
 */
export function toDelta(base: StoredManifest, manifest: StoredManifest): string {
  const known = base.entries.map((entry) => JSON.stringify(entry));
  const places = new Map(known.map((text, index) => [text, index]));
  const pieces: Piece[] = [];
  for (const entry of manifest.entries) {
    const text = JSON.stringify(entry);
    const last = pieces.at(-1);
    const place = places.get(text);
    if (last?.length === 2 && known[last[0] + last[1]] === text) pieces.splice(-1, 1, [last[0], last[1] + 1]);
    else pieces.push(place === undefined ? [entry] : [place, 1]);
  }
  return JSON.stringify({ ...manifest, entries: pieces });
}

export function fromDelta(base: StoredManifest, delta: string): StoredManifest {
  const { entries, ...rest } = JSON.parse(delta) as { readonly entries: readonly Piece[] };
  const whole = entries.flatMap((piece) =>
    piece.length === 1 ? [piece[0]] : base.entries.slice(piece[0], piece[0] + piece[1]),
  );
  return { ...rest, entries: whole };
}

/** Whether a new base is due: once its deltas have taken as much as a whole manifest takes. */
export function needsBase(baseLength: number, spent: number, delta: string): boolean {
  return spent + delta.length > baseLength;
}
