import type { Metadata, NewEntry } from "../contract.ts";
import { impactOf } from "../rank/impact.ts";
import type { Analyser } from "../text/analyse.ts";
import { fold } from "../text/fold.ts";
import { type DaySpan } from "../time/day.ts";
import { findDates } from "../time/find-dates.ts";
import { assertEntry } from "./assert-entry.ts";
import { contentHash } from "./content-hash.ts";
import { speakerOf } from "./speaker.ts";

/** What an entry's content says about itself, worked out once when it is stored. */
export interface PreparedEntry {
  readonly hash: string;
  /** Term and impact: how much one occurrence counts in this entry. */
  readonly postings: ReadonlyMap<string, number>;
  /** Terms of the speaker's name; empty when nobody speaks. */
  readonly speaker: readonly string[];
  readonly asks: boolean;
  /** Whether it says when something happened. */
  readonly tellsTime: boolean;
  readonly dates: readonly DaySpan[];
}

const TELLS_TIME = /\b(?:recently|just|ago|since|lately)\b/i;
const MAX_READ = 20_000;

/** Contract: `invalid_input` for an entry that cannot be stored. */
export function prepareEntry(entry: NewEntry, analyser: Analyser, now: Date): PreparedEntry {
  assertEntry(entry);
  const { content, metadata = {} } = entry;
  const start = content.slice(0, MAX_READ);
  const dates = findDates(start, { now: entry.occurredAt ?? now, yearless: "nearest" }).spans;
  return {
    hash: contentHash(content),
    ...postingsOf(content, metadata, analyser),
    asks: start.includes("?") || fold(start).includes("?"),
    tellsTime: dates.length > 0 || TELLS_TIME.test(start),
    dates,
  };
}

/** The terms of an entry and what they count; the speaker's name is among them. */
export function postingsOf(
  content: string,
  metadata: Metadata,
  analyser: Analyser,
): Pick<PreparedEntry, "postings" | "speaker"> {
  const name = speakerOf(content, metadata);
  const speaker = name === undefined ? [] : [...analyser.analyse(name).terms.keys()];
  const { terms, length } = analyser.analyse(content);
  const postings = new Map<string, number>();
  for (const [term, count] of terms) postings.set(term, impactOf(count, length));
  for (const term of speaker) if (!postings.has(term)) postings.set(term, impactOf(1, length));
  return { postings, speaker };
}
