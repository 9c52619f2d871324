// What is checked with every client, as the script of its model: what the model was offered, and what it was given.
import { setTimeout as delay } from "node:timers/promises";
import { BUDGET, END } from "./place.mjs";

export const CHECKS = [
  "tools",
  "7 kB result",
  "200 kB result",
  "conflict",
  "over_budget",
  "approval",
  "list change",
  "killed server",
];

const NEEDED = ["file_read", "file_write", "file_edit", "grep", "glob", "recall"];
const MOST_CALLS = 40;
const PIECE_LINES = 280;
const EXCERPT = 160;
const LIST_TRIES = 8;
const LIST_WAIT_MS = 300;

/**
 * The script of a model that puts a client through all checks.
 *
 * Contract: `record` hears of each check once: whether it holds, and a note. Throws nothing that a check should tell.
 */
export function checksOf(place, record, options = {}) {
  return async (model) => {
    await options.prepare?.(model);
    record("tools", ...toolsCheck(model, options));
    record("7 kB result", ...smallCheck(await model.call("file_read", { path: "small.txt" })));
    record("200 kB result", ...(await largeCheck(model, place, options)));
    record("conflict", ...(await conflictCheck(model, place, options)));
    record("over_budget", ...(await budgetCheck(model)));
    record("approval", ...(await approvalCheck(model, options)));
    record("list change", ...(await listCheck(model, place, options)));
    if (options.separateCalls !== true) record("killed server", ...(await killCheck(model, place)));
  };
}

function toolsCheck(model, { offered = ({ tools }) => tools }) {
  const tools = offered(model.offer());
  const missing = NEEDED.filter((name) => findTool(name, tools) === undefined);
  const mute = NEEDED.map((name) => findTool(name, tools)).filter((tool) => tool !== undefined && !tool.description);
  if (missing.length > 0) return [false, `not offered: ${missing.join(", ")}`];
  if (mute.length > 0) return [false, `without a description: ${mute.map(({ name }) => name).join(", ")}`];
  return [true, ""];
}

function smallCheck(text) {
  if (text === undefined) return [false, "file_read is not offered"];
  return text.includes(END)
    ? [true, `${text.length} characters`]
    : [false, `the text's end did not arrive: ${excerpt(text)}`];
}

/** Reads on as a model would: from the first line that has not arrived whole, while answers say that there is more. */
async function largeCheck(model, place, { separateCalls = false }) {
  const seen = new Set();
  let text = await model.call("file_read", { path: "large.txt" });
  const first = text?.length ?? 0;
  for (let calls = 1; calls <= MOST_CALLS; calls++) {
    if (text === undefined) return [false, "file_read is not offered"];
    for (const number of wholeLines(text)) seen.add(number);
    if (seen.size === place.largeLines) return [true, `${first} characters at first, whole after ${calls} calls`];
    // Where each call starts a server, it is enough that the answer names the line after its last whole one.
    if (separateCalls) return [text.includes(`go on with offset ${seen.size + 1}`), `${first} characters at first`];
    if (!/go on with offset \d+|lines \d+ to \d+ are shown/.test(text)) {
      return [false, `no way to the rest after ${calls} calls: ${excerpt(text.slice(-EXCERPT))}`];
    }
    let next = 1;
    while (seen.has(next)) next++;
    text = await model.call("file_read", { path: "large.txt", offset: next, limit: PIECE_LINES });
  }
  return [false, `not whole after ${MOST_CALLS} calls`];
}

/** Numbers of the lines that arrived from their first to their last word; some clients write a text as JSON. */
function wholeLines(text) {
  return [...text.matchAll(/(\d+)\. The .{0,3}quick[^.]{0,80}why it does\./g)].map(([, number]) => Number(number));
}

async function conflictCheck(model, place, { separateCalls = false }) {
  const read = await model.call("file_read", { path: "plan.txt" });
  place.changePlan();
  // Where each call has a server of its own, only the version that was read says what the writer knew.
  const version = /[0-9a-f]{32}/.exec(read ?? "")?.[0];
  const known = separateCalls ? { expected: version ?? "" } : {};
  const text = await model.call("file_write", { path: "plan.txt", content: "overwritten\n", ...known });
  return told(text, [/conflict/, /plan\.txt/, /read|load/i]);
}

async function budgetCheck(model) {
  const content = "one two three four ".repeat(BUDGET);
  const text = await model.call("file_write", { path: "ikigai:///blocks/too-large.md", content });
  return told(text, [/over_budget/, /budget/i, new RegExp(`${BUDGET}`)]);
}

async function approvalCheck(model, { approves = false }) {
  const text = await model.call("file_write", { path: ".git/config", content: "[core]\n" });
  if (!approves) return told(text, [/permission_denied/, /\.git/]);
  return text !== undefined && /version/.test(text) && !/denied/.test(text)
    ? [true, "asked and approved"]
    : [false, `approved, but: ${excerpt(text ?? "not offered")}`];
}

async function listCheck(model, place, { hasTurns = false, separateCalls = false }) {
  const listsAgain = hasTurns || separateCalls;
  place.growList();
  for (let tries = 1; tries <= LIST_TRIES; tries++) {
    if (model.offers("late")) return [true, ""];
    await delay(LIST_WAIT_MS);
    await (listsAgain ? model.endTurn() : model.call("glob", { pattern: `plan-${tries}*` }));
  }
  return [false, "the next requests still offer the old list"];
}

async function killCheck(model, place) {
  const kept = "kept before the server was killed";
  await model.call("file_write", { path: place.block, content: kept });
  if (!place.killServers()) return [false, "no server was running"];
  const text = await model.call("file_read", { path: "small.txt" });
  const after = place.ikigai("tool", "file_read", JSON.stringify({ path: place.block }));
  if (!after.includes(kept)) return [false, `what was written before is not there: ${excerpt(after)}`];
  if (text === undefined) return [true, "the client takes its tools away"];
  return [true, text.includes(END) ? "the client starts it again" : `the model is told: ${excerpt(text)}`];
}

function told(text, patterns) {
  if (text === undefined) return [false, "the tool is not offered"];
  const missing = patterns.filter((pattern) => !pattern.test(text));
  return missing.length === 0 ? [true, ""] : [false, `the model is told: ${excerpt(text)}`];
}

/** The tool of an offer that is ours by this name. Clients with tools of their own put the server's name before it. */
export function findTool(name, tools) {
  const prefixed = tools.filter((tool) => /ikigai/.test(`${tool.namespace ?? ""} ${tool.name}`));
  const candidates = prefixed.length > 0 ? prefixed : tools;
  return candidates.find((tool) => tool.name === name || new RegExp(`[_.:/-]${name}$`).test(tool.name));
}

function excerpt(text) {
  const line = text
    .replaceAll(/<system-reminder>[^]*?<\/system-reminder>|Wall time: \S+ seconds/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= EXCERPT ? line : `${line.slice(0, EXCERPT)}…`;
}
