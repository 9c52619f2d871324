import type { Actor } from "@ikigai/core";
import { createPolicy } from "@ikigai/core/host";
import type { Resources } from "@ikigai/mcp";
import type { BudgetStatus } from "@ikigai/memory";
import { expect, onTestFinished, test } from "vitest";
import { type PinnedBlocksOptions, withPinnedBlocks } from "./pinned-blocks.ts";

const actor: Actor = { agent: "ana", conversation: "c", callId: "1", tool: "resources" };
const call = { actor, signal: new AbortController().signal };
const plain: Resources = {
  list: async (cursor) => ({ items: [{ uri: `file:///${cursor ?? "a"}.md`, name: "a" }], nextCursor: "b" }),
  read: async (uri) => [{ uri, text: "of a source" }],
};

function open(texts: Map<string, string>, over: Partial<PinnedBlocksOptions> = {}): Resources {
  const status = async (): Promise<BudgetStatus> => ({
    pinned: 0,
    limit: 100,
    level: "fine",
    pins: [...texts].map(([label, text]) => {
      const uri = label.includes("://") ? label : `block:///${label}`;
      return { uri, owner: "ana", tokens: 1, version: text, behind: false };
    }),
  });
  return withPinnedBlocks(plain, {
    blocks: { text: async (label) => texts.get(label) ?? "" },
    pins: { status },
    isOpen: () => true,
    policy: createPolicy({}),
    agent: "ana",
    warn: () => {},
    lookMs: 5,
    ...over,
  });
}

test("pinned blocks stand before the texts of the first page, and only there", async () => {
  const resources = open(
    new Map([
      ["plan a", "x"],
      ["ikigai:///blocks/x.md", "an asset"],
    ]),
  );
  const first = await resources.list(undefined, call);
  expect(first.items.map(({ uri }) => uri)).toEqual(["block:///plan%20a", "file:///a.md"]);
  expect(first.nextCursor).toBe("b");
  expect((await resources.list("b", call)).items.map(({ uri }) => uri)).toEqual(["file:///b.md"]);
});

test("a pinned block is read; what is not pinned is not there; other addresses go to their sources", async () => {
  const resources = open(new Map([["plan/a?", "the plan"]]));
  expect(await resources.read("block:///plan%2Fa%3F", call)).toEqual([
    { uri: "block:///plan%2Fa%3F", mimeType: "text/markdown", text: "the plan" },
  ]);
  expect(await resources.read("block:///other", call)).toBeUndefined();
  expect(await resources.read("file:///a.md", call)).toEqual([{ uri: "file:///a.md", text: "of a source" }]);
  await expect(resources.read("block:///%zz", call)).rejects.toMatchObject({ code: "invalid_input" });
});

test("a long block is read in parts that keep characters whole", async () => {
  const text = `${"a".repeat(99_999)}😀 and the rest`;
  const resources = open(new Map([["long", text]]));
  let [part, more] = (await resources.read("block:///long", call)) ?? [];
  let joined = part !== undefined && "text" in part ? part.text : "";
  while (more !== undefined) {
    [part, more] = (await resources.read(more.uri, call)) ?? [];
    joined += part !== undefined && "text" in part ? part.text : "";
  }
  expect(joined).toBe(text);
});

test("a pinned block that a rule denies is not read as a resource", async () => {
  const layer = { name: "agent", judge: async () => ({ decision: "deny" as const, reason: "not yours" }) };
  const resources = open(new Map([["plan", "x"]]), { policy: createPolicy({ layers: [layer] }) });
  await expect(resources.read("block:///plan", call)).rejects.toMatchObject({ code: "permission_denied" });
});

test("changes and new pins are told, and a store that is closed is left closed", async () => {
  const texts = new Map([["plan", "1"]]);
  let open_ = false;
  let looks = 0;
  const told: string[] = [];
  const resources = open(texts, {
    isOpen: () => {
      looks++;
      return open_;
    },
  });
  const updates = resources.onUpdate?.((uri) => told.push(uri));
  const lists = resources.onListChange?.(() => told.push("list"));
  onTestFinished(() => {
    updates?.[Symbol.dispose]();
    lists?.[Symbol.dispose]();
  });
  await expect.poll(() => looks).toBeGreaterThan(3);
  open_ = true;
  const seen = looks;
  await expect.poll(() => looks).toBeGreaterThan(seen + 4);
  texts.set("plan", "2");
  await expect.poll(() => told).toContain("block:///plan");
  texts.set("more", "1");
  await expect.poll(() => told).toContain("list");
});
