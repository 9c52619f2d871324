import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { expect, test } from "vitest";
import { createWorkspace } from "../testing/workspace.ts";

const BASE = "what both of them saw\n";
const PERSON = "the person's much longer text\n";

const ACTS = {
  save: "the agent's text\n",
  remove: undefined,
} as const;

test.each(Object.entries(ACTS))(
  "an editor that had the file open during a %s writes later: its text is in a copy",
  async (act, left) => {
    const { root, open, warnings } = createWorkspace();
    const path = `${root}/folder/a.md`;
    writeFileSync(path, BASE);
    const source = await open({});
    const { version = "" } = (await source.read("folder/a.md")) ?? {};
    const editor = openSync(path, "r+");
    if (act === "save") await source.write("folder/a.md", left ?? "", { expected: version });
    else await source.remove("folder/a.md", { expected: version });
    writeSync(editor, PERSON, 0);
    closeSync(editor);
    await source.close?.();
    const copies = readdirSync(`${root}/folder`).filter((name) => name.startsWith("a.md.conflict-"));
    expect(copies.map((name) => readFileSync(`${root}/folder/${name}`, "utf8"))).toEqual([PERSON]);
    expect(readdirSync(`${root}/folder`).toSorted()).toEqual(
      [...(left === undefined ? [] : ["a.md"]), ...copies].toSorted(),
    );
    expect(warnings.join()).toContain(copies[0]);
  },
);

test("a displaced file is looked at once more by itself while the source stays open", async () => {
  const { root, open } = createWorkspace();
  const path = `${root}/folder/a.md`;
  writeFileSync(path, BASE);
  const source = await open({});
  const editor = openSync(path, "r+");
  await source.write("folder/a.md", "the agent's text\n");
  writeSync(editor, PERSON, 0);
  closeSync(editor);
  await expect.poll(() => readdirSync(`${root}/folder`).length, { timeout: 10_000 }).toBe(2);
  await source.close?.();
});

test("many saves in a row hold few files open, and all are looked at", async () => {
  const { root, open } = createWorkspace();
  const source = await open({});
  const editors: number[] = [];
  for (let index = 0; index < 100; index++) {
    writeFileSync(`${root}/folder/${index}.md`, BASE);
    editors.push(openSync(`${root}/folder/${index}.md`, "r+"));
    await source.write(`folder/${index}.md`, `agent ${index}\n`);
    writeSync(editors[index] ?? -1, `person ${index}\n`, 0);
  }
  for (const editor of editors) closeSync(editor);
  await source.close?.();
  const copies = readdirSync(`${root}/folder`).filter((name) => name.includes(".conflict-"));
  expect(copies.length).toBe(100);
});

test("a late text whose folder is gone is told, and nothing throws", async () => {
  const { root, open, warnings } = createWorkspace();
  writeFileSync(`${root}/folder/a.md`, BASE);
  const source = await open({});
  const editor = openSync(`${root}/folder/a.md`, "r+");
  await source.write("folder/a.md", "the agent's text\n");
  writeSync(editor, PERSON, 0);
  closeSync(editor);
  rmSync(`${root}/folder`, { recursive: true });
  await source.close?.();
  expect(warnings.join()).toContain("folder/a.md could not be compared once more: Error: its folder is gone");
});
