import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Served } from "./workspace/switchable-workspace.ts";
import { createOpenWorkspaces } from "./open-workspaces.ts";

let base: string;
let log: string[];

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "ikigai-open-")));
  for (const name of ["a", "b", "c"]) await mkdir(join(base, name));
  log = [];
});
afterEach(() => rm(base, { recursive: true }));

function workspaces(limit: number, fails: () => boolean = () => false): ReturnType<typeof createOpenWorkspaces> {
  return createOpenWorkspaces({
    limit,
    open: async (root) => {
      const name = root.slice(base.length + 1);
      log.push(`open ${name}`);
      if (fails()) throw new Error("no luck");
      return { close: async () => void log.push(`close ${name}`) } as unknown as Served;
    },
  });
}

test("a workspace is opened once, and the one that was idle longest makes room", async () => {
  const open = workspaces(2);
  const use = (name: string): Promise<string> => open.use(join(base, name), async () => name);
  expect(await Promise.all([use("a"), use("a")])).toEqual(["a", "a"]);
  await use("b");
  await use("a");
  await use("c");
  expect(log).toEqual(["open a", "open b", "open c", "close b"]);
  await open.close();
  expect(log.slice(4).toSorted()).toEqual(["close a", "close c"]);
});

test("a workspace that is in use stays open, however many there are", async () => {
  const open = workspaces(1);
  await open.use(join(base, "a"), async () => {
    await open.use(join(base, "b"), async () => {});
    expect(log).toEqual(["open a", "open b", "close b"]);
  });
  await open.close();
});

test("a workspace that could not be opened is tried again by the next request", async () => {
  let broken = true;
  const open = workspaces(2, () => broken);
  await expect(open.use(join(base, "a"), async () => 1)).rejects.toThrow("no luck");
  broken = false;
  expect(await open.use(join(base, "a"), async () => 1)).toBe(1);
  await open.close();
});
