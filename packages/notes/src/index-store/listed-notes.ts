import type { TextEntry } from "@ikigai/core";
import type { NoteRow } from "./note-row.ts";

const TICK_MS = 20;
const COARSE_TICK_MS = 2_000;

/** Whether a path is hidden: names that start with a dot are no part of a vault. */
export function isHidden(path: string): boolean {
  return path.startsWith(".") || path.includes("/.");
}

/** Whether the stored row still fits: a source that tells neither size nor time has to be read again. */
export function isCurrent(row: NoteRow | undefined, entry: TextEntry): boolean {
  if (row === undefined || row.unsettled === true || entry.modifiedAt === undefined) return false;
  return row.modifiedAt === entry.modifiedAt.getTime() && row.bytes === entry.bytes;
}

/**
 * Whether a save that comes after this listing is sure to carry another time. Clocks of file systems tick every few
 * milliseconds; those that keep whole seconds, or two, show it.
 */
export function isSettled({ modifiedAt }: TextEntry, listedAt: number): boolean {
  if (modifiedAt === undefined) return true;
  const time = modifiedAt.getTime();
  return Math.abs(listedAt - time) >= (time % 1_000 === 0 ? COARSE_TICK_MS : TICK_MS);
}
