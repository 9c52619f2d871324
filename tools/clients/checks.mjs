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
const MOST_PIECES = 40;
const PIECE_LINES = 60;
const LIST_TRIES = 8;
const LIST_WAIT_MS = 300;

/**
 * The script of a model that puts a client through all checks.
 *
 * Contract: `record` hears of each check once: whether it holds, and a note. Throws nothing that a check should tell.
 */
export function checksOf(place, record, options = {}) {
  return async (model) => {
    record("tools", ...toolsCheck(model, options));
    record("7 kB result", ...smallCheck(await model.call("file_read", { path: "small.txt" })));
    record("200 kB result", ...(await largeCheck(model)));
    record("conflict", ...(await conflictCheck(model, place)));
    record("over_budget", ...(await budgetCheck(model)));
    record("approval", ...(await approvalCheck(model, options)));
    record("list change", ...(await listCheck(model, place)));
    record("killed server", ...(await killCheck(model, place)));
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

/** Reads on by what the model was told, as a model would: the number of lines, or the line to go on from. */
async function largeCheck(model) {
  let text = await model.call("file_read", { path: "large.txt" });
  const first = text?.length ?? 0;
  for (let piece = 1; piece <= MOST_PIECES; piece++) {
    if (text === undefined) return [false, "file_read is not offered"];
    if (text.includes(END)) return [true, `${first} characters at first, whole after ${piece} calls`];
    const next = nextLine(text);
    if (next === undefined) return [false, `no way to the rest after ${piece} calls: ${excerpt(text)}`];
    const limit = piece === 1 ? undefined : PIECE_LINES * 2 ** Math.min(piece, 5);
    text = await model.call("file_read", { path: "large.txt", offset: next, ...(limit !== undefined && { limit }) });
  }
  return [false, `not whole after ${MOST_PIECES} calls`];
}

/** The line after the last that arrived in one piece, when the answer says that there is more. */
function nextLine(text) {
  if (!/total_lines|offset|truncated|output:\/\/\//i.test(text)) return undefined;
  const numbers = [...text.matchAll(/(\d+)\. The .{0,3}quick/g)].map(([, number]) => Number(number));
  const gap = numbers.findIndex((number, index) => index > 0 && number !== numbers[index - 1] + 1);
  const last = gap === -1 ? numbers.at(-1) : numbers[gap - 1];
  return last === undefined ? undefined : last + 1;
}

async function conflictCheck(model, place) {
  await model.call("file_read", { path: "plan.txt" });
  place.changePlan();
  const text = await model.call("file_write", { path: "plan.txt", content: "overwritten\n" });
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

async function listCheck(model, place) {
  place.growList();
  for (let tries = 1; tries <= LIST_TRIES; tries++) {
    if (model.offers("late")) return [true, `after ${tries} calls`];
    await delay(LIST_WAIT_MS);
    await model.call("glob", { pattern: `plan-${tries}*` });
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
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= 160 ? line : `${line.slice(0, 160)}…`;
}
