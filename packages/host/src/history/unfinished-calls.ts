import { type Actor, messageOf } from "@ikigai/core";
import { mountOf } from "@ikigai/core/host";
import { type AuditRow, journalledUris } from "@ikigai/memory";
import type { Host } from "../host.ts";
import { ASSETS, WORKSPACE } from "../policy/host-policy.ts";
import type { CallDetails } from "./audit-details.ts";

/**
 * What became of a call whose end was never written, in words: its process was killed, or it still runs.
 *
 * Contract: never rejects; reads the journal and the texts, and changes nothing.
 */
export async function describeUnfinished(host: Host, root: string, row: AuditRow, call: CallDetails): Promise<string> {
  const { call_id: callId, agent, conversation, tool } = row;
  const actor: Actor = { agent, conversation, callId, tool };
  const parts: string[] = [];
  for (const { effect } of call.verdicts) {
    if (effect.action === "read") continue;
    if (effect.action === "execute") parts.push("how far the command came is not known");
    else parts.push(await whatBecame(host, root, effect.target, actor).catch((error: unknown) => messageOf(error)));
  }
  const known = parts.length === 0 ? "" : `; ${[...new Set(parts)].join("; ")}`;
  return `no end was written (its process was killed, or it still runs)${known}`;
}

async function whatBecame(host: Host, root: string, target: string, actor: Actor): Promise<string> {
  const mount = mountOf(target);
  if (mount !== ASSETS && mount !== WORKSPACE) return `what became of ${target} is not known`;
  const owner = mount === ASSETS ? actor.agent : `folder:${root}`;
  const uris = journalledUris(host.sources.route(target));
  const records = await Promise.all(uris.map((uri) => host.store.journal.history(uri, { owner })));
  const record = records.flat().find(({ callId }) => callId === actor.callId);
  if (record === undefined) return `${target} was not changed by it`;
  if (record.state === "done") return `${target} was changed, see /diff ${target} ${record.id}`;
  const { source, address } = host.sources.route(target);
  const present = (await source.read(address.path, { actor }))?.text;
  if (present === record.after?.text) return `the change of ${target} was announced and is there`;
  if (present === record.before?.text) return `the change of ${target} was announced and was not made`;
  return `the change of ${target} was announced, and ${target} is different now`;
}
