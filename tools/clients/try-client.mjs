import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKS, checksOf, findTool } from "./checks.mjs";
import { installClient, nodeForClients, versions } from "./install.mjs";
import { createConversation } from "./model/conversation.mjs";
import { openScriptedModel } from "./model/scripted-model.mjs";
import { openPlace } from "./place.mjs";
import { runBounded } from "./processes.mjs";
import { openRefusingProxy } from "./refusing-proxy.mjs";

/** Long enough for a busy machine; a client on an idle one takes ten to forty seconds. */
const LIMIT_MS = 180_000;

/**
 * One client put through all checks.
 *
 * Contract: ends within its time and leaves no process; a client that cannot be installed has a reason and no checks.
 * `IKIGAI_CLIENTS_KEEP=1` leaves its folder, with every request of the client, and prints where it is.
 */
export async function tryClient(client, store) {
  const version = versions[client.name][client.package];
  const checks = new Map();
  let folder;
  let node;
  try {
    node = nodeForClients();
    folder = installClient(client.name);
  } catch (error) {
    return { client, version, checks, absent: `not installed: ${error.message}` };
  }
  const place = openPlace(client.name, store);
  const proxy = await openRefusingProxy();
  const record = (check, ok, note) => checks.set(check, judge(client.limits?.[check], ok, note));
  const conversation = createConversation(checksOf(place, record, client), client.reach ?? reach);
  const log = join(place.base, "requests.jsonl");
  const model = await openScriptedModel(conversation, (entry) => appendFileSync(log, `${JSON.stringify(entry)}\n`));
  const deadline = Date.now() + LIMIT_MS;
  const environment = { ...place.environment(node), ...proxy.environment };
  const run = (command, args, env) =>
    runBounded(command, args, {
      cwd: place.workspace,
      env: { ...environment, ...env },
      limitMs: Math.max(1, deadline - Date.now()),
      logFile: join(place.base, "client.log"),
    });
  try {
    const { timedOut, code, output, errors = "" } = await client.start({ place, folder, node, model, run, record });
    const reason = timedOut
      ? `not reached in ${LIMIT_MS / 1000} s`
      : `not reached; ended with ${code}: ${lastLine(output || errors)}`;
    for (const check of CHECKS) if (!checks.has(check)) record(check, false, reason);
    return { client, version, checks, protocol: client.protocol ?? model.protocols(), asked: proxy.asked() };
  } finally {
    await model.close();
    await proxy.close();
    if (process.env.IKIGAI_CLIENTS_KEEP) process.stdout.write(`${place.base}\n`);
    else place.close();
  }
}

/** A limit of the client itself is no failure; one that is gone must leave the list. */
function judge(limit, ok, note) {
  if (limit === undefined) return { state: ok ? "ok" : "fails", note };
  return ok ? { state: "fails", note: `holds now, though it is listed as: ${limit}` } : { state: "limit", note: limit };
}

function reach(name, given, { tools }) {
  const tool = findTool(name, tools);
  if (tool === undefined) return undefined;
  // Some clients make every field required; a model then writes null for what it leaves out.
  const missing = (tool.schema?.required ?? []).filter((field) => !(field in given));
  const filled = { ...given, ...Object.fromEntries(missing.map((field) => [field, null])) };
  return { name: tool.name, ...(tool.namespace && { namespace: tool.namespace }), arguments: filled };
}

/** The last line that says something: below an uncaught error stand its stack and the version of Node. */
function lastLine(text) {
  const lines = text.trim().split("\n");
  return (lines.findLast((line) => !/^(?:\s|[{}]|Node\.js v|$)/.test(line)) ?? lines.at(-1) ?? "").slice(0, 160);
}
