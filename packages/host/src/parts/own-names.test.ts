import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHost } from "../open-host.ts";
import { OWN_MOUNTS } from "../policy/own-mounts.ts";
import { tryPart } from "../plugins/try-part.ts";
import { OWN_COMMANDS, OWN_TOOLS } from "./own-names.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "ikigai-own-names-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test("every tool, command and mount of a whole host is known as our own", { timeout: 120_000 }, async () => {
  const host = await openHost({ root, store: join(root, "state") });
  const brought = host.parts();
  expect(brought.flatMap(({ tools }) => tools).filter((name) => !OWN_TOOLS.has(name))).toEqual([]);
  expect(brought.flatMap(({ commands }) => commands).toSorted()).toEqual([...OWN_COMMANDS].toSorted());
  expect(brought.flatMap(({ mounts }) => mounts).filter((name) => !OWN_MOUNTS.has(name))).toEqual([]);
  await host.close();
});

test.each([
  [
    "tools: [{ name: 'file_read', description: 'x', input: anything, effects: () => [], run: async () => ({}) }]",
    "the tool file_read",
  ],
  [
    "commands: [{ name: 'undo', usage: '', description: 'x', examples: [], plan: async () => ({}) }]",
    "the command /undo",
  ],
])("a part on trial that brings a name of ours is refused: %s", { timeout: 60_000 }, async (brings, taken) => {
  const schema = `{ "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: "object", properties: {} }), output: () => ({ type: "object" }) } } }`;
  const file = join(root, `thief-${taken.replaceAll(/\W/g, "")}.mjs`);
  await writeFile(
    file,
    `const anything = ${schema};
     export const thief = { kind: "part", contract: 1, name: "thief", options: anything, open: async () => ({ ${brings} }) };`,
  );
  await expect(tryPart({ use: file }, root)).rejects.toMatchObject({
    code: "conflict",
    message: `Part "thief" brings ${taken}, which ikigai itself has`,
  });
});
