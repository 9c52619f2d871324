import { type Effect, IkigaiError, type MemoryPermission } from "@ikigai/core";
import { type BlockEdit, createPolicy } from "@ikigai/core/host";
import { describe, expect, test } from "vitest";
import { createBlockTools } from "../tools/block-tools.ts";
import { createBlocks } from "./blocks.ts";
import { createMemoryBlockStore } from "./memory-block-store.ts";
import { actor, createBlockBench, defineAll, SCHEMAS } from "../testing/block-bench.test.helper.ts";

const ada = actor("ada");
const bob = actor("bob");
const append = (content: string): BlockEdit => ({ op: "append", content });
const replace = (old: string, by: string): BlockEdit => ({ op: "replace", old, new: by });

test("a block does not begin with a NUL character", async () => {
  const { blocks } = await createBlockBench();
  const definition = { label: "b", type: "core", schema: SCHEMAS.text, initial: { content: "\0" } } as const;
  await expect(blocks.define(definition, ada)).rejects.toThrow("contains a NUL character");
  expect(await blocks.list(ada)).toEqual([]);
});

describe("permission", () => {
  const OPS: Readonly<Record<string, BlockEdit>> = {
    append: append("x"),
    replace: replace("one", "ONE"),
    patch: { op: "patch", patch: "@@ -1,1 +1,1 @@\n-one\n+ONE\n" },
    edit_range: { op: "edit_range", start: 1, end: 1, content: "ONE" },
    undo: { op: "undo" },
    redo: { op: "redo" },
  };
  const PERMISSIONS: readonly MemoryPermission[] = ["read_only", "partner", "human", "append", "read_write", "admin"];
  const allowed = (permission: MemoryPermission, op: string): boolean =>
    permission !== "read_only" && (permission !== "append" || op === "append");
  const table = PERMISSIONS.flatMap((permission) =>
    Object.keys(OPS).map((op) => [permission, op, allowed(permission, op)] as const),
  );

  test.each(table)("%s: %s is possible: %s", async (permission, op, possible) => {
    const { blocks, file } = await createBlockBench({ a: "one\ntwo\n" });
    await blocks.load("a", ada);
    await blocks.edit("a", append("three\n"), ada);
    await blocks.edit("a", append("four\n"), ada);
    await blocks.edit("a", { op: "undo" }, ada);
    file.permission = permission;
    const before = await blocks.text("a", ada);
    const outcome = await blocks.edit("a", OPS[op] as BlockEdit, ada).then(
      () => "done",
      (error: unknown) => (error as { code: string }).code,
    );
    expect(outcome).toBe(possible ? "done" : "permission_denied");
    expect((await blocks.text("a", ada)) !== before).toBe(possible);
  });

  test.each([
    ["read_only", "permission_denied"],
    ["append", "permission_denied"],
    ["read_write", "done"],
  ] as const)("%s: set_field is %s", async (permission, result) => {
    const { blocks } = await createBlockBench();
    await blocks.define({ label: "m", type: "core", schema: SCHEMAS.map, permission }, ada);
    const outcome = await blocks.edit("m", { op: "set_field", field: "name", value: "x" }, ada).then(
      () => "done",
      (error: unknown) => (error as { code: string }).code,
    );
    expect(outcome).toBe(result);
  });

  test("what may only grow can be saved when it only grew", async () => {
    const { blocks, file } = await createBlockBench({ a: "one\n" });
    file.permission = "append";
    await blocks.load("a", ada);
    await blocks.edit("a", append("two\n"), ada);
    await blocks.save("a", ada);
    expect(file.texts.get("a")).toBe("one\ntwo\n");
    file.permission = "read_only";
    await expect(blocks.create("b", "x", ada)).rejects.toMatchObject({ code: "permission_denied" });
    await expect(blocks.remove("a", ada)).rejects.toMatchObject({ code: "permission_denied" });
  });

  test("the policy layer speaks of blocks only, and asks the person that a block names", async () => {
    const { blocks } = await createBlockBench();
    await blocks.define({ label: "h", type: "core", schema: SCHEMAS.text, permission: "human" }, ada);
    const judge = (action: "read" | "update", target: string) => blocks.policyLayer.judge({ action, target }, ada);
    expect(await judge("update", "block:///h")).toMatchObject({ decision: "ask", needs: "person", person: "human" });
    expect(await judge("read", "block:///h")).toMatchObject({ decision: "allow" });
    expect(await judge("update", "block:///unknown")).toBeUndefined();
    expect(await judge("update", "file:///h")).toBeUndefined();
  });
});

describe("sharing", () => {
  test.each([
    ["read_only", "permission_denied", "permission_denied"],
    ["append", "done", "permission_denied"],
    ["read_write", "done", "done"],
  ] as const)("at %s: append %s, replace %s", async (permission, first, second) => {
    const { blocks } = await createBlockBench();
    await defineAll(blocks);
    await blocks.share("text", "bob", permission, ada);
    const outcomes: string[] = [];
    for (const edit of [append("three\n"), replace("one", "ONE")]) {
      outcomes.push(
        await blocks.edit("text", edit, bob).then(
          () => "done",
          (error: unknown) => (error as { code: string }).code,
        ),
      );
    }
    expect(outcomes).toEqual([first, second]);
    expect(await blocks.info("text", bob)).toMatchObject({ owner: "ada", permission });
    expect(await blocks.text("text", bob)).toBe(await blocks.text("text", ada));
  });

  test.each(["read_only", "partner", "human", "append", "read_write", "admin"] as const)(
    "one's own block that is %s is shared no further than that, and the sharing is ended",
    async (permission) => {
      const { blocks, file } = await createBlockBench({ a: "one" });
      file.permission = permission;
      await blocks.load("a", ada);
      await blocks.share("a", "bob", "admin", ada);
      expect(await blocks.info("a", bob)).toMatchObject({ owner: "ada", permission });
      await blocks.unshare("a", "bob", ada);
      await expect(blocks.info("a", bob)).rejects.toMatchObject({ code: "not_found" });
    },
  );

  test.each([
    ["ask", "ask"],
    ["edits", "ask"],
    ["all", "allow"],
  ] as const)("under the mode %s the decision is %s, whatever the block's permission", async (mode, decision) => {
    const { blocks, sources, file } = await createBlockBench({ a: "one" });
    file.permission = "read_write";
    const { label } = await blocks.load("a", ada);
    const [tool] = createBlockTools({ blocks, sources });
    const facts = { ...ada, tool: "block" };
    const effects = await tool?.effects(
      { op: "share", label, agent: "bob", permission: "read_only" },
      { ...facts, signal: new AbortController().signal },
    );
    expect(effects).toEqual([{ action: "admin", target: `share:///${label}` }]);
    const policy = createPolicy({ mode: () => mode, layers: [sources.policyLayer, blocks.policyLayer] });
    expect(await policy.judge(effects?.[0] as Effect, facts)).toMatchObject({ decision });
  });

  test("needs admin when the block is another's, gives no more than one has, and ends", async () => {
    const { blocks } = await createBlockBench();
    await defineAll(blocks);
    await expect(blocks.info("text", bob)).rejects.toMatchObject({ code: "not_found" });
    await blocks.share("text", "bob", "read_write", ada);
    await expect(blocks.share("text", "eve", "read_only", bob)).rejects.toMatchObject({ code: "permission_denied" });
    await expect(blocks.share("text", "ada", "admin", ada)).rejects.toMatchObject({ code: "invalid_input" });
    await blocks.unshare("text", "bob", ada);
    await expect(blocks.unshare("text", "bob", ada)).rejects.toMatchObject({ code: "not_found" });
    await expect(blocks.text("text", bob)).rejects.toMatchObject({ code: "not_found" });
  });

  test("one's own block comes first; of two that others share the label is ambiguous", async () => {
    const { blocks } = await createBlockBench();
    const eve = actor("eve");
    for (const owner of [ada, bob]) {
      await blocks.define({ label: "b", type: "core", schema: SCHEMAS.text, initial: { content: owner.agent } }, owner);
      await blocks.share("b", "eve", "read_only", owner);
    }
    await expect(blocks.text("b", eve)).rejects.toMatchObject({
      code: "ambiguous",
      details: { owners: ["ada", "bob"] },
    });
    await blocks.define({ label: "b", type: "core", schema: SCHEMAS.text, initial: { content: "eve" } }, eve);
    expect(await blocks.text("b", eve)).toBe("eve");
    expect((await blocks.list(eve)).map(({ owner }) => owner).toSorted()).toEqual(["ada", "bob", "eve"]);
  });
});

describe("definition", () => {
  test.each([
    ["an empty label", { label: "" }],
    ["a label with a control character", { label: "a\nb" }],
    ["a label that leaves its root", { label: "a/../b" }],
    ["a long label", { label: "x".repeat(513) }],
    ["no sections", { schema: { kind: "composite", sections: [] } }],
    [
      "a field twice",
      {
        schema: {
          kind: "map",
          fields: [
            { name: "a", type: "text" },
            { name: "a", type: "text" },
          ],
        },
      },
    ],
    ["a name with a dot", { schema: { kind: "map", fields: [{ name: "a.b", type: "text" }] } }],
    ["no items at most", { schema: { kind: "list", max_items: 0 } }],
    ["an initial value of another kind", { initial: { content: ["a"] } }],
    ["an initial value of nothing", { initial: { other: "a" } }],
    ["an initial map for a text", { initial: { content: { a: "b" } } }],
  ] as const)("with %s is refused", async (_, wrong) => {
    const { blocks } = await createBlockBench();
    const definition = { label: "l", type: "core", schema: SCHEMAS.text, ...wrong } as const;
    await expect(blocks.define(definition, ada)).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("begins with what it is given", async () => {
    const { blocks } = await createBlockBench();
    const made = await blocks.define(
      { label: "l", type: "log", schema: SCHEMAS.log, initial: { content: ["born"] }, description: "A life" },
      ada,
    );
    expect(made).toMatchObject({ type: "log", schema: "log", undo: 0 });
    expect(await blocks.text("l", ada)).toBe("- born\n");
  });
});

describe("pins", () => {
  test("belong to one agent, and a guard may refuse them and edits of what is pinned", async () => {
    const { blocks } = await createBlockBench(
      {},
      {
        guard: async ({ agent, label, text }) => {
          if (text.length > 10) throw new IkigaiError("over_budget", `${agent} ${label} ${text.length}`);
        },
      },
    );
    await defineAll(blocks);
    await blocks.share("text", "bob", "read_write", ada);
    expect(await blocks.pin("text", ada)).toMatchObject({ pinned: true });
    expect(await blocks.info("text", bob)).toMatchObject({ pinned: false });
    const grow = append("three");
    await expect(blocks.edit("text", grow, ada)).rejects.toMatchObject({ message: "ada text 13" });
    expect(await blocks.text("text", ada)).toBe("one\ntwo\n");
    await blocks.edit("text", grow, bob);
    await expect(blocks.pin("text", bob)).rejects.toMatchObject({ code: "over_budget" });
    expect(await blocks.unpin("text", ada)).toMatchObject({ pinned: false });
  });
});

test("a working block is archived, comes back when loaded, and no other is", async () => {
  const { blocks } = await createBlockBench({ a: "one" });
  await blocks.load("a", ada);
  expect(await blocks.archive("a", ada)).toMatchObject({ type: "archival" });
  await expect(blocks.archive("a", ada)).rejects.toMatchObject({ code: "unsupported" });
  expect(await blocks.load("a", ada)).toMatchObject({ type: "working" });
});

test("the machine's clock and random ids are used unless others are given", async () => {
  const { sources } = await createBlockBench();
  const blocks = createBlocks({ sources, store: createMemoryBlockStore() });
  await blocks.define({ label: "l", type: "log", schema: { kind: "log" } }, ada);
  await blocks.edit("l", append("x"), ada);
  expect(await blocks.text("l", ada)).toMatch(/^- \d{4}-\d\d-\d\dT.* x\n$/);
});
