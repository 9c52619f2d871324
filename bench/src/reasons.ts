import type { Line } from "./line.ts";

interface Reason {
  readonly bench: string;
  readonly work: RegExp;
  /** Default: any. */
  readonly side?: string;
  /** Default: any. */
  readonly peer?: string;
  readonly reason: string;
}

/** Why we are slower on a line, where we know. The first that matches counts. */
const REASONS: readonly Reason[] = [
  {
    bench: "files",
    work: /save .*in process/,
    reason: "we also sync the folder, take a lock against other processes and compare the version on disk",
  },
  {
    bench: "files|mcp",
    work: /^(?:write|edit)/,
    reason:
      "before it acts, ours has the audit row and the journal's copy on disk in one commit, then syncs file and folder; theirs waits for no disk",
  },
  {
    bench: "files|mcp",
    work: /^read/,
    reason: "each call is checked, judged by the policy, audited and hashed; theirs compares the path and reads",
  },
  {
    bench: "mcp",
    work: /^start/,
    reason: "modules: ours loads some 470 (measured) for permissions, policy, sources and 25 tools with their schemas",
  },
  {
    bench: "mcp|store",
    work: /^(?:insert a memory|write one)/,
    reason:
      "two synced transactions in the keeper's process, the audit row's and the text's, against rewriting a small file without a sync",
  },
  {
    bench: "mcp",
    work: /^search memories/,
    reason:
      "ranked over an index in the keeper's process, three round trips, and audited, against a substring scan of a small file",
  },
  {
    bench: "recall",
    work: /./,
    side: "recall in memory",
    reason: "ours also stems, finds dates and speakers and drops repetitions",
  },
  {
    bench: "recall",
    work: /^insert/,
    peer: "server-memory over stdio",
    reason: "a synced transaction that indexes every word, against rewriting a small file without a sync",
  },
  {
    bench: "recall",
    work: /^search/,
    peer: "server-memory over stdio",
    reason: "ranked over an index in another process, three round trips, against a substring scan of a small file",
  },
  {
    bench: "recall",
    work: /./,
    reason:
      "theirs is an index in this process's memory that keeps nothing on disk; ours also stems, finds dates and drops repetitions",
  },
  {
    bench: "search",
    work: /^grep/,
    peer: "rg",
    reason: "ours also parses each match, counts all and puts them in the order of their paths",
  },
  {
    bench: "search",
    work: /^glob/,
    peer: "rg",
    reason: "ours also stats each match for its time, and sorts; bare rg prints as it finds",
  },
  {
    bench: "search",
    work: /^glob/,
    peer: "rg --sortr modified",
    reason:
      "ours starts ripgrep, asks for the times itself and checks the root first; ripgrep alone does all in one process",
  },
  {
    bench: "agent",
    work: /^start/,
    reason: "ours opens the store, its keeper and the sources before it says so",
  },
  {
    bench: "agent",
    work: /^finder/,
    reason:
      "ours ranks every match exactly and gives way to keys every 8 ms; that has a fixed cost which small lists show",
  },
];

/** Contract: says so when nobody has looked into it yet. */
export function reasonFor({ bench, work, side }: Line, peer: string): string {
  const found = REASONS.find(
    (one) =>
      one.bench.split("|").includes(bench) &&
      one.work.test(work) &&
      (one.side ?? side) === side &&
      (one.peer ?? peer) === peer,
  );
  return found?.reason ?? "not explained yet";
}
