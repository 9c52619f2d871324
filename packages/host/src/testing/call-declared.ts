import assert from "node:assert/strict";
import { type Touch, undeclaredTouches } from "@ikigai/core/testing";
import { type Bench, WORKSPACE } from "./part-bench.ts";

const VERBS: Readonly<Record<Touch["action"], string>> = {
  read: "read",
  create: "created",
  update: "changed",
  delete: "deleted",
};

/**
 * Calls a tool, and compares what it touched with what it declared or asked for.
 *
 * Contract: gives the data of a call that succeeds; fails with every text that it touched undeclared, in the workspace and
 * in the part's own mounts, also where it wrote past the host.
 */
export async function callDeclared(
  bench: Bench,
  call: { readonly name: string; readonly arguments: unknown },
  who: string,
): Promise<unknown> {
  const { registry, recorders } = bench;
  const actor = { agent: "default", conversation: "suite" };
  // What a tool looks at to say what it will touch is not what the call touches.
  await registry.plan(call, actor);
  const before = await versions(bench);
  for (const recorder of recorders.values()) recorder.take();
  bench.takeJudged();
  const answer = await registry.call(call, actor);
  const declared = bench.takeJudged();
  assert.ok(answer.success, `${who} does not succeed: ${answer.success ? "" : answer.error}`);
  const touched = new Map([...recorders].map(([mount, recorder]) => [mount, recorder.take()]));
  const after = await versions(bench);
  const undeclared = new Set<string>();
  for (const [mount, touches] of touched) {
    const all = [...touches, ...changes(before.get(mount) ?? new Map(), after.get(mount) ?? new Map())];
    for (const { action, path } of undeclaredTouches(all, declared, mount))
      undeclared.add(`${VERBS[action]} ${mount === WORKSPACE ? path : `${mount}:///${path}`}`);
  }
  assert.ok(undeclared.size === 0, `${who} ${[...undeclared].join(" and ")}, which it did not declare`);
  return answer.data;
}

type Versions = ReadonlyMap<string, string>;

/** Texts of every mount that is looked at, by path. */
async function versions({ sources, recorders }: Bench): Promise<ReadonlyMap<string, Versions>> {
  const found = new Map<string, Versions>();
  for (const mount of recorders.keys()) {
    const { source } = sources.routePrefix(`${mount}:///`);
    const texts = new Map<string, string>();
    for await (const { path } of source.list("")) texts.set(path, (await source.read(path))?.text ?? "");
    found.set(mount, texts);
  }
  return found;
}

function changes(before: Versions, after: Versions): readonly Touch[] {
  const found: Touch[] = [];
  for (const [path, text] of after) {
    if (before.get(path) !== text) found.push({ action: before.has(path) ? "update" : "create", path });
  }
  for (const path of before.keys()) if (!after.has(path)) found.push({ action: "delete", path });
  return found;
}
