import { markingScript } from "./canaries.ts";
import { drawNote, drawPlace } from "./places.ts";
import type { Random } from "./random.ts";
import type { WorldPlan } from "./world-plan.ts";

/** One call, and what the person answers if the call asks. `{base}` stands for the folder of the world. */
export interface PlannedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answer: "allow" | "deny" | "cancel";
  /** A server that goes on, or a process of its own. */
  readonly via: "mcp" | "tool";
}

type Draw = (random: Random, plan: WorldPlan) => readonly Pick<PlannedCall, "tool" | "args">[];

/** Draws what a model does next: one call, or a read and the write that needs it. */
export function drawCalls(random: Random, plan: WorldPlan): PlannedCall[] {
  const calls = DRAW[random.weighted(WEIGHTS)](random, plan);
  const answer = random.weighted<PlannedCall["answer"]>({ allow: 5, deny: 4, cancel: 1 });
  return calls.map((call) => ({ ...spoilt(random, call), answer, via: "mcp" }));
}

const WEIGHTS = {
  file_read: 10,
  file_write: 9,
  overwrite: 9,
  file_edit: 10,
  file_delete: 5,
  file_move: 6,
  block: 6,
  block_edit: 6,
  block_round: 4,
  source: 1,
  history: 3,
  undo: 5,
  slash: 12,
  recall: 2,
  read_note: 3,
  get_note_metadata: 1,
  list_notes: 1,
  create_note: 4,
  delete_note: 2,
  update_note: 6,
  rename_note: 2,
  search_notes: 1,
  search_by_tags: 1,
  search_by_properties: 1,
  find_related: 1,
  list_tags: 1,
  add_tag: 2,
  remove_tag: 1,
  bash: 0.6,
  bash_jobs: 0.6,
  grep: 0.8,
  glob: 0.8,
  file: 6,
  foreign: 0.5,
  plugin: 2,
  unknown: 0.7,
} as const;

const TEXTS = [
  "short\n",
  "# Title\n\nText with [[Plan]].\n",
  "",
  "one\r\ntwo\r\n",
  "ü 😀 \u202e\n",
  "token=sk-proj-1234567890abcdef\n",
  "line\n".repeat(200),
  "ikigai:///blocks/style.md\n",
];
const ODD_TEXTS = ["a\u0000b", "\ud800", "x".repeat(20_000)];
const PASSAGES = ["one", "two", "#", "closed", "line", "8080", "deep", "first", "", "ref"];
const COMMANDS = [
  "git status",
  "git diff",
  "git log",
  "cat a.txt",
  "cat l0 l1 l2",
  "ls",
  "true",
  "echo hi",
  "echo x > made.txt",
  "./monitor.sh",
  "git status; ./monitor.sh",
  "cat .git/config",
  "cat {base}/outside/secret.txt",
  "cd bare && git status",
  "cat ikigai:///blocks/style.md",
  "cat a.txt > l3",
  "git -C sub status",
  "rg one",
  "for f in *.md; do echo $f; done",
];

const text = (random: Random): string => random.pick(random.chance(0.04) ? ODD_TEXTS : TEXTS);
const one = (tool: string, args: Record<string, unknown>): readonly Pick<PlannedCall, "tool" | "args">[] => [
  { tool, args },
];

/** What is written to a place: over a script, one that leaves a mark. */
function contentFor(random: Random, place: string): string {
  return /(\.c?m?js|\.sh|bin\/git)$/.test(place) && random.chance(0.8)
    ? markingScript(place, "{base}/marks")
    : text(random);
}

const DRAW: Readonly<Record<keyof typeof WEIGHTS, Draw>> = {
  file_read: (random, plan) =>
    one("file_read", {
      path: drawPlace(random, plan),
      ...(random.chance(0.2) && { offset: 1 + random.below(3), limit: 1 + random.below(3) }),
    }),
  file_write(random, plan) {
    const path = drawPlace(random, plan);
    return one("file_write", { path, content: contentFor(random, path) });
  },
  overwrite(random, plan) {
    const path = drawPlace(random, plan);
    return [
      { tool: "file_read", args: { path } },
      { tool: "file_write", args: { path, content: contentFor(random, path) } },
    ];
  },
  file_edit: (random, plan) =>
    one("file_edit", {
      path: drawPlace(random, plan),
      old: random.pick(PASSAGES),
      new: text(random),
      ...(random.chance(0.3) && { replace_all: true }),
    }),
  file_delete: (random, plan) => one("file_delete", { path: drawPlace(random, plan) }),
  file_move: (random, plan) => one("file_move", { from: drawPlace(random, plan), to: drawPlace(random, plan) }),
  block: (random, plan) =>
    one("block", {
      op: random.pick([
        "load",
        "load",
        "pin",
        "unpin",
        "archive",
        "info",
        "viewport",
        "share",
        "unshare",
        "save",
        "diff",
        "reload",
        "merge",
      ]),
      label: drawPlace(random, plan),
      ...(random.chance(0.5) && { source_id: random.pick(["file", "ikigai", "handbook", "shelf", "nowhere"]) }),
      ...(random.chance(0.2) && { agent: "other", permission: random.pick(["read_only", "read_write", "admin"]) }),
    }),
  block_edit: (random, plan) => one("block_edit", blockEdit(random, drawPlace(random, plan))),
  block_round(random, plan) {
    const label = drawPlace(random, plan);
    return [
      { tool: "block", args: { op: "load", label, source_id: "file" } },
      { tool: "block_edit", args: { op: "append", label, content: text(random) } },
      { tool: "block", args: { op: "save", label } },
    ];
  },
  source: (random) =>
    one("source", {
      op: random.pick(["pause", "resume", "status", "list", "pull"]),
      ...(random.chance(0.7) && { source_id: random.pick(["file", "ikigai", "handbook"]) }),
    }),
  history: (random, plan) => one("history", { path: drawPlace(random, plan) }),
  undo: (random, plan) => one("undo", { path: drawPlace(random, plan) }),
  slash: (random, plan) => one("slash_command", { command: slash(random, plan) }),
  recall: (random) =>
    one(
      "recall",
      random.chance(0.5)
        ? { op: "insert", content: text(random), thread: "t" }
        : { op: "search", query: random.pick(PASSAGES), limit: 3 },
    ),
  read_note: (random, plan) => one("read_note", { name: drawNote(random, plan) }),
  get_note_metadata: (random, plan) => one("get_note_metadata", { name: drawNote(random, plan) }),
  list_notes: (random, plan) => one("list_notes", random.chance(0.5) ? {} : { path: drawPlace(random, plan) }),
  create_note: (random, plan) =>
    one("create_note", {
      name: drawNote(random, plan),
      content: text(random),
      ...(random.chance(0.4) && {
        folder: random.pick([
          "notes",
          "locked",
          "people",
          "l0",
          "l1",
          "l2",
          "../outside",
          ".git",
          "ikigai:///notes",
          "handbook:///",
        ]),
      }),
    }),
  delete_note: (random, plan) => one("delete_note", { name: drawNote(random, plan) }),
  update_note: (random, plan) =>
    one("update_note", {
      name: drawNote(random, plan),
      ...random.pick([
        { mode: "append", content: text(random) },
        { mode: "find_replace", old: random.pick(PASSAGES), new: text(random) },
        { mode: "section", section: "Plan", content: text(random) },
        { mode: "replace", content: text(random) },
        { properties: { status: "done" } },
      ]),
    }),
  rename_note: (random, plan) =>
    one("rename_note", {
      name: drawNote(random, plan),
      new_name: random.pick(["Renamed", "Plan2", "locked/y", "../outside/new", "l0", drawPlace(random, plan)]),
      ...(random.chance(0.3) && { folder: random.pick(["notes", "src", "locked", "l1"]) }),
    }),
  search_notes: (random) => one("search_notes", { query: random.pick(["plan", "ship", "two"]) }),
  search_by_tags: (random) => one("search_by_tags", { tags: [random.pick(["work", "done"])] }),
  search_by_properties: () => one("search_by_properties", { properties: { status: "open" } }),
  find_related: (random, plan) => one("find_related", { name: drawNote(random, plan) }),
  list_tags: () => one("list_tags", {}),
  add_tag: (random, plan) =>
    one("add_tag", { name: drawNote(random, plan), tag: random.pick(["work", "#done", "a/b"]) }),
  remove_tag: (random, plan) => one("remove_tag", { name: drawNote(random, plan), tag: "work" }),
  bash: (random, plan) =>
    one("bash", {
      command: random.chance(0.15)
        ? `cat ${JSON.stringify(drawPlace(random, plan).replaceAll("\u0000", ""))}`
        : random.pick(COMMANDS),
      timeout_ms: 5_000,
      ...(random.chance(0.2) && { cwd: drawPlace(random, plan) }),
    }),
  bash_jobs: (random) =>
    one("bash_jobs", { op: random.pick(["list", "output", "kill"]), ...(random.chance(0.5) && { job: "absent" }) }),
  grep: (random, plan) =>
    one("grep", {
      pattern: random.pick(["one", "SECRET", "(", "token"]),
      ...(random.chance(0.5) && { path: drawPlace(random, plan) }),
    }),
  glob: (random, plan) =>
    one("glob", {
      pattern: random.pick(["**", "*.md", "l*", "../**", "{base}/outside/**"]),
      ...(random.chance(0.3) && { path: drawPlace(random, plan) }),
    }),
  file: (random, plan) =>
    one("file", {
      op: random.pick([
        "load",
        "save",
        "create",
        "delete",
        "append",
        "replace",
        "list",
        "status",
        "diff",
        "reload",
        "merge",
      ]),
      path: drawPlace(random, plan),
      ...(random.chance(0.6) && { content: text(random) }),
      ...(random.chance(0.5) && { old: random.pick(PASSAGES), new: text(random) }),
    }),
  foreign: (random) => one("side__echo", random.chance(0.5) ? {} : { text: text(random) }),
  plugin: (random) =>
    one(random.pick(["shelf_put", "shelf_put", "shelf_drop"]), {
      name: random.pick(["s.md", "new.md", "../outside/secret.txt", "a b.md"]),
      ...(random.chance(0.8) && { text: text(random) }),
    }),
  unknown: (random) => one(random.pick(["explode", "file_reed", "Bash", "__proto__", "file_read "]), { path: "a.txt" }),
};

function blockEdit(random: Random, label: string): Record<string, unknown> {
  return random.pick<Record<string, unknown>>([
    { op: "append", label, content: text(random) },
    {
      op: "replace",
      label,
      old: random.pick(PASSAGES),
      new: text(random),
      mode: random.pick(["first", "all", "regex"]),
    },
    { op: "edit_range", label, offset: 1, limit: random.below(3), content: text(random) },
    { op: "patch", label, patch: "@@ -1 +1 @@\n-one two three\n+patched\n" },
    { op: "set_field", label, field: "x", value: 1 },
    { op: "undo", label },
    { op: "redo", label },
  ]);
}

function slash(random: Random, plan: WorldPlan): string {
  const place = drawPlace(random, plan);
  const word = random.chance(0.3) ? JSON.stringify(place) : place;
  return random.pick([
    `/undo ${word}`,
    `/undo ${word}`,
    `/undo ${word} ${1 + random.below(40)}`,
    `/history ${word}`,
    `/diff ${word}`,
    `/pin ${word}`,
    `/unpin ${word}`,
    "/pinned",
    "/blocks",
    "/budget",
    `/budget ${random.below(5_000)}`,
    `/forget ${word}`,
    "/assets list",
    `/assets edit ${word} --text changed`,
    `/assets edit ${word} --read-only ${random.pick(["yes", "no"])}`,
    `/assets edit ${word} --description d --category c`,
    `/assets delete ${word}`,
    `/remember ${text(random)}`,
    "/compact blocks/style",
    "/nothing",
    "/",
    `/undo`,
    `/${word}`,
  ]);
}

/** Now and then an argument is missing, of another type, or one too many. */
function spoilt(random: Random, call: Pick<PlannedCall, "tool" | "args">): Pick<PlannedCall, "tool" | "args"> {
  if (!random.chance(0.03)) return call;
  const names = Object.keys(call.args);
  const name = names[random.below(names.length)] ?? "path";
  const { [name]: _left, ...rest } = call.args;
  const args = random.pick<Record<string, unknown>>([
    rest,
    { ...rest, [name]: 7 },
    { ...call.args, extra: true },
    { ...rest, [name]: [call.args[name]] },
    { ...rest, [name]: null },
  ]);
  return { ...call, args };
}
