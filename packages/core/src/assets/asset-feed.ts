import { IkigaiError } from "../errors.ts";
import type { StreamEvent } from "../source/source.ts";

/** How far the changes of each owner were read. Numbers of one owner have no gaps that could still be filled. */
export type AssetPosition = Readonly<Record<string, string>>;

/** A change of an asset that was committed. */
export interface CommittedAssetChange {
  readonly owner: string;
  readonly path: string;
  readonly change: "created" | "updated" | "removed";
  readonly version: string;
  readonly author?: string;
  /** Marks the program that made it. */
  readonly program?: string;
  readonly at: Date;
  /** The position behind this change. */
  readonly position: AssetPosition;
}

/** A change in words, for an agent that sees it. Contract: `own` in its data says whether `program` made it. */
export function toAssetEvent(
  { position, at, program: by, ...change }: CommittedAssetChange,
  agent: string,
  program: string | undefined,
): StreamEvent {
  const who = change.author === undefined ? "" : ` by ${change.author}`;
  const whose = change.owner === agent ? "" : ` of ${change.owner}`;
  const text = `"${change.path}"${whose} was ${change.change}${who}`;
  const own = by !== undefined && by === program;
  return { cursor: writeAssetPosition(position), at, text, data: { ...change, own } };
}

export function writeAssetPosition(position: AssetPosition): string {
  return JSON.stringify(position);
}

/** Contract: `invalid_input` for text that no position wrote. */
export function readAssetPosition(cursor: string): AssetPosition {
  try {
    const parsed: unknown = JSON.parse(cursor);
    if (typeof parsed === "object" && parsed !== null && Object.values(parsed).every(isNumber)) {
      return parsed as AssetPosition;
    }
  } catch {
    // Reported below, like any other text.
  }
  throw new IkigaiError("invalid_input", `${JSON.stringify(cursor.slice(0, 60))} is no position of this stream`, {
    hint: "Start without a cursor.",
  });
}

/** The further of two positions, owner by owner. Contract: as {@link readAssetPosition}. */
export function laterAssetPosition(one: string, other: string): string {
  const [first, second] = [readAssetPosition(one), readAssetPosition(other)];
  const further = (owner: string): [string, string] => {
    const [a, b] = [first[owner] ?? "0", second[owner] ?? "0"];
    return [owner, BigInt(a) > BigInt(b) ? a : b];
  };
  return writeAssetPosition(Object.fromEntries(Object.keys({ ...first, ...second }).map(further)));
}

function isNumber(value: unknown): boolean {
  return typeof value === "string" && /^\d{1,18}$/.test(value);
}
