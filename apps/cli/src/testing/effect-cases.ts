/** A call of a tool: the tool, and the fields of its arguments. `FRIEND` stands for another agent, `JOB` for the job that was started. */
export type TestCall = { readonly tool: string } & Readonly<Record<string, unknown>>;

/** What an operation that only looks is called with. */
export interface ReadCase {
  readonly setup?: readonly TestCall[];
  readonly call: TestCall;
}

/** What an operation with an effect is called with, and what must hold of it. */
export interface EffectCase {
  readonly setup?: readonly TestCall[];
  readonly call: TestCall;
  /** Why it has no journal row, and what tells of it instead. Absent: it must have one. */
  readonly journal?: string;
  /** How it is taken back, or why it cannot be. Absent: by `/undo` of each journal row. */
  readonly undo?: readonly TestCall[] | string;
  /** Why the change is not seen in what is kept. */
  readonly invisible?: string;
  /** Why only the process that made a thing can be refused it; then the mode refuses. */
  readonly perProcess?: string;
}

/** The texts that every case begins with. */
export const FILES: Readonly<Record<string, string>> = {
  "a.md": "one\ntwo\n",
  "plan.md": "# Plan\n\ntext #old\n",
  "log.md": "see [[plan]]\n",
};

const ASSET = "ikigai:///blocks/x.md";
const asset: TestCall = { tool: "file_write", path: ASSET, content: "an asset\n" };
const loaded: TestCall = { tool: "block", op: "load", label: "a.md" };
const slash = (command: string): TestCall => ({ tool: "slash_command", command });
const edit = (op: string, more: object = {}): TestCall => ({ tool: "block_edit", op, label: "a.md", ...more });
const appended = edit("append", { content: "three\n" });
const file = (op: string, more: object = {}): TestCall => ({ tool: "file", op, path: "a.md", ...more });

const CONTEXT = "what an agent has in view is no text; the audit row tells of it";
const SHARES = "who sees a block is no text; the audit row tells of it";
const RUNS = "a command may do anything; the audit row holds it, and addresses it writes are journalled";
const IMMUTABLE = "an entry never changes and carries its own origin";

export const EFFECTS: Readonly<Record<string, EffectCase>> = {
  "file_write:new": { call: { tool: "file_write", path: "new/b.md", content: "x" } },
  "file_write:over": {
    setup: [{ tool: "file_read", path: "a.md" }],
    call: { tool: "file_write", path: "a.md", content: "x" },
  },
  "file_write:asset": { call: { tool: "file_write", path: "ikigai:///blocks/new.md", content: "x" } },
  "file_edit:file": { call: { tool: "file_edit", path: "a.md", old: "one", new: "1" } },
  "file_edit:asset": { setup: [asset], call: { tool: "file_edit", path: ASSET, old: "an", new: "the" } },
  "file_delete:file": { call: { tool: "file_delete", path: "a.md" } },
  "file_delete:asset": { setup: [asset], call: { tool: "file_delete", path: ASSET } },
  "file_move:file": { call: { tool: "file_move", from: "a.md", to: "sub/b.md" } },
  "file_move:asset": { setup: [asset], call: { tool: "file_move", from: ASSET, to: "ikigai:///blocks/y.md" } },
  "file_move:across": { setup: [asset], call: { tool: "file_move", from: ASSET, to: "from-memory.md" } },
  undo: {
    setup: [{ tool: "file_edit", path: "a.md", old: "one", new: "1" }],
    call: { tool: "undo", path: "a.md" },
  },

  "block load": {
    call: loaded,
    undo: "a loaded block is a copy; dropping it would drop its history, so it is archived instead",
  },
  "block load:again": {
    setup: [loaded, { tool: "block", op: "archive", label: "a.md" }],
    call: loaded,
    undo: [{ tool: "block", op: "archive", label: "a.md" }],
  },
  "block pin": {
    setup: [loaded],
    call: { tool: "block", op: "pin", label: "a.md" },
    journal: CONTEXT,
    undo: [{ tool: "block", op: "unpin", label: "a.md" }],
  },
  "block unpin": {
    setup: [loaded, { tool: "block", op: "pin", label: "a.md" }],
    call: { tool: "block", op: "unpin", label: "a.md" },
    journal: CONTEXT,
    undo: [{ tool: "block", op: "pin", label: "a.md" }],
  },
  "block viewport": {
    setup: [loaded],
    call: { tool: "block", op: "viewport", label: "a.md", start_line: 1, display_lines: 1 },
    journal: CONTEXT,
    undo: [{ tool: "block", op: "viewport", label: "a.md" }],
  },
  "block archive": { setup: [loaded], call: { tool: "block", op: "archive", label: "a.md" }, undo: [loaded] },
  "block share": {
    setup: [loaded],
    call: { tool: "block", op: "share", label: "a.md", agent: "FRIEND", permission: "append" },
    journal: SHARES,
    undo: [{ tool: "block", op: "unshare", label: "a.md", agent: "FRIEND" }],
  },
  "block unshare": {
    setup: [loaded, { tool: "block", op: "share", label: "a.md", agent: "FRIEND", permission: "append" }],
    call: { tool: "block", op: "unshare", label: "a.md", agent: "FRIEND" },
    journal: SHARES,
    undo: [{ tool: "block", op: "share", label: "a.md", agent: "FRIEND", permission: "append" }],
  },

  "block_edit append": { setup: [loaded], call: appended },
  "block_edit replace": { setup: [loaded], call: edit("replace", { old: "one", new: "1" }) },
  "block_edit patch": { setup: [loaded], call: edit("patch", { patch: "@@ -1,2 +1,2 @@\n-one\n+1\n two\n" }) },
  "block_edit edit_range": { setup: [loaded], call: edit("edit_range", { start: 1, end: 1, content: "1\n" }) },
  "block_edit set_field": {
    call: { tool: "block_edit", op: "set_field", label: "facts", field: "name", value: "Ann" },
  },
  "block_edit undo": { setup: [loaded, appended], call: edit("undo"), undo: [edit("redo")] },
  "block_edit redo": { setup: [loaded, appended, edit("undo")], call: edit("redo") },

  "source pause": {
    call: { tool: "source", op: "pause", source_id: "jobs" },
    journal: CONTEXT,
    undo: [{ tool: "source", op: "resume", source_id: "jobs" }],
  },
  "source resume": {
    setup: [{ tool: "source", op: "pause", source_id: "jobs" }],
    call: { tool: "source", op: "resume", source_id: "jobs" },
    journal: CONTEXT,
    undo: [{ tool: "source", op: "pause", source_id: "jobs" }],
  },

  "recall insert": {
    call: { tool: "recall", op: "insert", content: "The sea is salty" },
    journal: IMMUTABLE,
    undo: "only a person erases an entry, with `ikigai recall erase`",
  },

  create_note: { call: { tool: "create_note", name: "Idea", content: "text" } },
  delete_note: { call: { tool: "delete_note", name: "log" } },
  "update_note:append": { call: { tool: "update_note", name: "plan", mode: "append", content: "more" } },
  "update_note:replace": {
    setup: [{ tool: "read_note", name: "plan" }],
    call: { tool: "update_note", name: "plan", mode: "replace", content: "all new" },
  },
  rename_note: { call: { tool: "rename_note", name: "plan", new_name: "goal" } },
  add_tag: { call: { tool: "add_tag", name: "plan", tag: "new" } },
  remove_tag: {
    setup: [{ tool: "add_tag", name: "plan", tag: "new" }],
    call: { tool: "remove_tag", name: "plan", tag: "new" },
  },

  bash: { call: { tool: "bash", command: "echo x > made.txt" }, journal: RUNS, undo: RUNS },
  "bash:address": {
    setup: [asset],
    call: { tool: "bash", command: `echo more >> ${ASSET}` },
  },
  "bash:background": {
    call: { tool: "bash", command: "true", background: true },
    journal: RUNS,
    undo: RUNS,
    invisible: "a job that ended has changed nothing",
  },
  "bash_jobs kill": {
    setup: [{ tool: "bash", command: "sleep 60", background: true }],
    call: { tool: "bash_jobs", op: "kill", job: "JOB" },
    journal: "a job is no text; the audit row and the stream `jobs` tell of its end",
    undo: "what was ended can only be started again",
    invisible: "jobs live with their process",
    perProcess: "jobs live with their process",
  },

  "block save": { setup: [loaded, appended], call: { tool: "block", op: "save", label: "a.md" } },
  "block reload": { setup: [loaded, appended], call: { tool: "block", op: "reload", label: "a.md" } },
  "block merge": {
    setup: [loaded, appended, { tool: "file_edit", path: "a.md", old: "one", new: "1" }],
    call: { tool: "block", op: "merge", label: "a.md" },
    undo: "what the disk brought is another's change, which no undo takes out; the block's history holds both",
  },
  "file load": {
    call: file("load"),
    undo: "a loaded block is a copy; dropping it would drop its history, so it is archived instead",
  },
  "file save": { setup: [loaded, appended], call: file("save") },
  "file create": {
    call: file("create", { path: "made.md", content: "x" }),
    undo: "/undo removes the file; the block stays, because a block and its history outlive their file",
  },
  "file delete": { call: file("delete") },
  "file append": { setup: [loaded], call: file("append", { content: "three\n" }) },
  "file replace": { setup: [loaded], call: file("replace", { old: "one", new: "1" }) },
  "file reload": { setup: [loaded, appended], call: file("reload") },
  "file merge": {
    setup: [loaded, appended, { tool: "file_edit", path: "a.md", old: "one", new: "1" }],
    call: file("merge"),
    undo: "what the disk brought is another's change, which no undo takes out; the block's history holds both",
  },

  "slash_command /pin": { setup: [asset], call: slash(`/pin ${ASSET}`) },
  "slash_command /unpin": { setup: [asset, slash(`/pin ${ASSET}`)], call: slash(`/unpin ${ASSET}`) },
  "slash_command /budget": { call: slash("/budget 5000"), journal: CONTEXT, undo: [slash("/budget 100000")] },
  "slash_command /assets": { setup: [asset], call: slash(`/assets delete ${ASSET}`) },
  "slash_command /assets:edit": { setup: [asset], call: slash(`/assets edit ${ASSET} --description "How we model"`) },
  "slash_command /remember": { call: slash('/remember "Tests run with npm test"') },
  "slash_command /forget": { setup: [asset], call: slash(`/forget ${ASSET}`) },
  "slash_command /compact": { setup: [asset], call: slash(`/compact ${ASSET}`) },
  "slash_command /undo": {
    setup: [{ tool: "file_edit", path: "a.md", old: "one", new: "1" }],
    call: slash("/undo a.md"),
  },
};

export const PLAIN_READS: Readonly<Record<string, ReadCase>> = {
  file_read: { call: { tool: "file_read", path: "a.md" } },
  history: {
    setup: [{ tool: "file_edit", path: "a.md", old: "one", new: "1" }],
    call: { tool: "history", path: "a.md" },
  },
  "block info": { setup: [loaded], call: { tool: "block", op: "info", label: "a.md" } },
  "source status": { call: { tool: "source", op: "status" } },
  "source list": { call: { tool: "source", op: "list" } },
  "recall search": { call: { tool: "recall", op: "search", query: "sea" } },
  read_note: { call: { tool: "read_note", name: "plan" } },
  get_note_metadata: { call: { tool: "get_note_metadata", name: "plan" } },
  list_notes: { call: { tool: "list_notes" } },
  search_notes: { call: { tool: "search_notes", query: "plan" } },
  search_by_tags: { call: { tool: "search_by_tags", tags: ["old"] } },
  search_by_properties: { call: { tool: "search_by_properties", properties: { a: "b" } } },
  find_related: { call: { tool: "find_related", name: "plan" } },
  list_tags: { call: { tool: "list_tags" } },
  "bash_jobs list": { call: { tool: "bash_jobs", op: "list" } },
  "bash_jobs output": {
    setup: [{ tool: "bash", command: "true", background: true }],
    call: { tool: "bash_jobs", op: "output", job: "JOB" },
  },
  grep: { call: { tool: "grep", pattern: "one" } },
  glob: { call: { tool: "glob", pattern: "*" } },
  "file load:again": { setup: [loaded], call: file("load") },
  "file list": { call: { tool: "file", op: "list" } },
  "file status": { setup: [loaded], call: file("status") },
  "block diff": { setup: [loaded], call: { tool: "block", op: "diff", label: "a.md" } },
  "source pull": { call: { tool: "source", op: "pull", source_id: "jobs" } },
  "file diff": { setup: [loaded], call: file("diff") },
  "slash_command /pinned": { call: slash("/pinned") },
  "slash_command /blocks": { call: slash("/blocks") },
  "slash_command /history": { call: slash("/history a.md") },
  "slash_command /diff": {
    setup: [{ tool: "file_edit", path: "a.md", old: "one", new: "1" }],
    call: slash("/diff a.md"),
  },
};
