/** Answers "where is the next one?" for a scanner that only moves forward, so that all answers together cost one pass. */
export interface NextFinder {
  /** The first position at or behind `from` and before `end`, or -1. `from` must not decrease. */
  (from: number, end: number): number;
}

/** Finds the next `needle` in `text`. */
export function createFinder(text: string, needle: string): NextFinder {
  let found = -2;
  return (from, end) => {
    if (found !== -1 && found < from) found = text.indexOf(needle, from);
    return found !== -1 && found + needle.length <= end ? found : -1;
  };
}

/** Finds the next position that `accepts` likes among those of `char`. */
export function createCharFinder(text: string, char: string, accepts: (at: number) => boolean): NextFinder {
  let found = -2;
  return (from, end) => {
    if (found !== -1 && found < from) {
      found = text.indexOf(char, from);
      while (found !== -1 && !accepts(found)) found = text.indexOf(char, found + 1);
    }
    return found !== -1 && found < end ? found : -1;
  };
}

/** Finds the next match of a global pattern that matches one character. A compiled pattern is fast from the start. */
export function createPatternFinder(text: string, pattern: RegExp): NextFinder {
  let found = -2;
  return (from, end) => {
    if (found !== -1 && found < from) {
      pattern.lastIndex = from;
      found = pattern.test(text) ? pattern.lastIndex - 1 : -1;
    }
    return found !== -1 && found < end ? found : -1;
  };
}

/** Finds the runs of backticks that close a code span, by the length of the run. */
export function createCodeCloser(text: string, start: number, end: number): (run: number, from: number) => number {
  const runs = new Map<number, { at: number[]; next: number }>();
  for (let i = text.indexOf("`", start); i !== -1 && i < end;) {
    let stop = i + 1;
    while (stop < end && text.charCodeAt(stop) === 96) stop += 1;
    const known = runs.get(stop - i);
    if (known === undefined) runs.set(stop - i, { at: [i], next: 0 });
    else known.at.push(i);
    i = text.indexOf("`", stop);
  }
  return (run, from) => {
    const known = runs.get(run);
    if (known === undefined) return -1;
    while (known.next < known.at.length && (known.at[known.next] as number) < from) known.next += 1;
    return known.at[known.next] ?? -1;
  };
}
