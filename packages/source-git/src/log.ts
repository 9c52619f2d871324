/** A commit that gave a path a new content. */
export interface LoggedChange {
  readonly at: Date;
  readonly author: string;
  readonly message: string;
  /** The name of the content. */
  readonly id: string;
}

/** Four fields that cannot hold a NUL, each ended by one. */
export const LOG_FORMAT = "format:%H%x00%ct%x00%an%x00%s%x00";

const RAW = /^\n?:\d{6} (\d{6}) [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*$/;
const HEADER_FIELDS = 4;

/**
 * The states of `path` in what `git log -z --raw` printed in {@link LOG_FORMAT}, in its order.
 *
 * Contract: commits that removed the path, or made it something other than a regular file, are left out.
 */
export function parseLog(output: string, path: string): LoggedChange[] {
  const tokens = output.split("\0");
  const changes: LoggedChange[] = [];
  let at = 0;
  while (at + HEADER_FIELDS <= tokens.length) {
    const [, seconds = "", author = "", message = ""] = tokens.slice(at, at + HEADER_FIELDS);
    at += HEADER_FIELDS;
    for (let raw = RAW.exec(tokens[at] ?? ""); raw !== null; raw = RAW.exec(tokens[at] ?? "")) {
      const [, mode = "", id = ""] = raw;
      if (tokens[at + 1] === path && mode.startsWith("100")) {
        changes.push({ at: new Date(Number(seconds) * 1_000), author, message, id });
      }
      at += 2;
    }
    if (tokens[at] === "") at++;
  }
  return changes;
}
