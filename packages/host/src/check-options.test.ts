import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openHost } from "./open-host.ts";
import type { HostOptions } from "./host.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ikigai-options-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const open = (options: unknown): Promise<unknown> => openHost(options as HostOptions);

test.each<[string, unknown, RegExp]>([
  ["mode", "everything", /ask, edits, all, none, or a function/],
  ["mode", 1, /ask, edits, all, none, or a function/],
  ["store", 5, /a text/],
  ["root", ["."], /a text/],
  ["agent", null, /a text/],
  ["configDirectory", {}, /a text/],
  ["budget", "many", /a whole number/],
  ["budget", -1, /a whole number/],
  ["budget", 1.5, /a whole number/],
  ["approve", true, /a function/],
  ["warn", "loudly", /a function/],
  ["background", "yes", /true or false/],
  ["assist", [], /an object/],
  ["parts", {}, /a list of parts/],
  ["parts", [5], /a list of parts/],
  ["parts", [[undefined, {}]], /a list of parts/],
])("%s: %j is refused with its name and what it must be, and nothing is made", async (name, value, wanted) => {
  await expect(open({ root, store: join(root, "state"), [name]: value })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(`"${name}"`) as string,
    hint: expect.stringMatching(wanted) as string,
  });
  expect(await readdir(root)).toEqual([]);
});

test("an option that there is not is refused with those that there are", async () => {
  await expect(open({ root, approver: async () => ({ approved: true }) })).rejects.toMatchObject({
    code: "invalid_input",
    message: 'openHost has no option "approver"',
    hint: expect.stringMatching(/root, store, .*approve/) as string,
  });
});

test.each([null, "work", [], 5])("%j in the place of the options is refused", async (options) => {
  await expect(open(options)).rejects.toMatchObject({ code: "invalid_input" });
});

test("an option that is undefined counts as absent, and a budget of the code comes before the configuration's", async () => {
  const store = join(root, "state");
  await using host = await openHost({ root, store, configDirectory: root, budget: 7 });
  expect(await host.store.pins.status("default")).toMatchObject({ limit: 7 });
  const absent = { root, store, mode: undefined, approve: undefined, parts: undefined } as unknown as HostOptions;
  await using other = await openHost(absent);
  expect(other.parts().length).toBeGreaterThan(3);
});
