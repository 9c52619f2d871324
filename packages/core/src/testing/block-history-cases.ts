import assert from "node:assert/strict";
import type { BlockRevision } from "../source.ts";
import type { AnyBlock, BlockCase } from "./block-case.ts";

/** The past of a path. */
export const historyCases: readonly BlockCase[] = [
  {
    id: "block/history/never-existed-is-empty",
    needs: ["history"],
    async run({ open }) {
      assert.deepEqual(await revisionsOf(await open(), "no/such/block.md"), []);
    },
  },
  {
    id: "block/history/newest-first",
    needs: ["write", "history"],
    async run({ open }) {
      const [source, other] = [await open(), await open()];
      for (const text of ["one", "two", "three"]) await source.write("a.md", text);
      await source.write("b.md", "another path");
      for (const reader of [source, other]) {
        const revisions = await revisionsOf(reader, "a.md");
        assert.deepEqual(
          revisions.map(({ text }) => text),
          ["three", "two", "one"],
        );
        const times = revisions.map(({ at }) => at.getTime());
        assert.ok(times.every((time) => !Number.isNaN(time)));
        assert.deepEqual(
          times,
          times.toSorted((a, b) => b - a),
        );
      }
    },
  },
  {
    id: "block/history/includes-present",
    needs: ["write", "history"],
    async run({ open }) {
      const source = await open();
      const versions: string[] = [];
      for (const text of ["one", "two", "three"]) {
        versions.unshift((await source.write("a.md", text)).version);
        const [newest] = await revisionsOf(source, "a.md");
        const present = await source.read("a.md");
        assert.deepEqual({ text: newest?.text, version: newest?.version }, present);
      }
      const revisions = await revisionsOf(source, "a.md");
      assert.deepEqual(
        revisions.map(({ version }) => version),
        versions,
        "a revision has the version that the write returned",
      );
    },
  },
  {
    id: "block/history/refused-write-leaves-no-trace",
    needs: ["write", "history"],
    async run({ open }) {
      const source = await open();
      await source.write("a.md", "one");
      await source.write("a.md", "refused", { expected: null }).catch(() => {});
      assert.equal((await revisionsOf(source, "a.md")).length, 1);
    },
  },
  {
    id: "block/history/survives-reopen",
    needs: ["write", "history"],
    async run({ open }) {
      const source = await open();
      for (const text of ["one", "two"]) await source.write("a.md", text);
      const before = await revisionsOf(source, "a.md");
      await source.close?.();
      assert.deepEqual(await revisionsOf(await open(), "a.md"), before);
    },
  },
];

async function revisionsOf(source: AnyBlock, path: string): Promise<BlockRevision[]> {
  const revisions: BlockRevision[] = [];
  for await (const revision of source.history(path)) revisions.push(revision);
  return revisions;
}
