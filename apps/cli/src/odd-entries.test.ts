import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { closeSharedStore, openWorkspace } from "./testing/open-workspace.ts";

// Content and metadata are cast to JSON by the database, which takes neither a NUL nor half of a surrogate pair.

vi.setConfig({ testTimeout: 120_000 });

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
let base: string;
beforeEach(async () => {
  workspace = await openWorkspace({ ownStore: true });
  base = await mkdtemp(join(tmpdir(), "ikigai-entries-"));
});
afterEach(async () => {
  await workspace.close();
  await rm(base, { recursive: true, force: true });
});
afterAll(closeSharedStore);

const DATABASE = /postgres|pglite|sqlstate|invalid byte|unicode escape|syntax|\.ts:\d+/i;
const ODD = ["a\0b", "a\ud800b", "\udfff"];
const entries = (odd: string): readonly object[] => [
  { content: odd },
  { content: "x", metadata: { key: odd } },
  { content: "x", metadata: { [odd]: "value" } },
  { content: "x", metadata: { deep: [{ er: odd }] } },
  { content: "x", thread: odd },
];

test("an entry with a NUL or half of a surrogate pair is refused by the tool and by an import, which names its line", async () => {
  const stored = async (): Promise<number> =>
    (JSON.parse((await workspace.run(["recall", "status", "--json"])).out) as { entries: number }).entries;
  let count = 0;
  for (const odd of ODD) {
    for (const entry of entries(odd)) {
      const input = JSON.stringify({ op: "insert", ...entry });
      const { out } = await workspace.run(["--approve", "all", "tool", "recall", input]);
      expect(JSON.parse(out)).toMatchObject({ success: false, code: "invalid_input" });
      expect(out).not.toMatch(DATABASE);

      const file = join(base, "in.jsonl");
      const lines = [{ content: `narwhal ${count}` }, entry, { content: `after ${count}` }];
      await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const refused = await workspace.run(["recall", "import", file]);
      expect(refused.code).not.toBe(0);
      expect(refused.err).toMatch(/line 2/i);
      expect(refused.err).not.toMatch(DATABASE);
      expect(await stored()).toBe(count + 1);
      count += 1;
    }
  }
  const { out } = await workspace.run(["recall", "search", "narwhal", "--json", "--limit", "50"]);
  expect(out).toContain("narwhal 0");
});
