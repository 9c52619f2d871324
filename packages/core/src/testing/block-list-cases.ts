import assert from "node:assert/strict";
import { type BlockCase, entriesOf, pathsOf, textOf } from "./block-case.ts";

/** Listing what was written. */
export const listCases: readonly BlockCase[] = [
  {
    id: "block/list/no-match-is-empty",
    needs: [],
    async run({ open }) {
      assert.deepEqual(await pathsOf(await open(), "no/such/"), []);
    },
  },
  {
    id: "block/list/by-prefix",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      for (const path of ["b/2.md", "a.md", "b/10.md", "bb.md"]) await source.write(path, path);
      assert.deepEqual(await pathsOf(source, "", bench), ["a.md", "b/10.md", "b/2.md", "bb.md"]);
      assert.deepEqual(await pathsOf(source, "b/", bench), ["b/10.md", "b/2.md"]);
      assert.deepEqual(await pathsOf(source, "b", bench), ["b/10.md", "b/2.md", "bb.md"], "a prefix is no folder");
      assert.deepEqual(await pathsOf(source, "b/1", bench), ["b/10.md"]);
      assert.deepEqual(await pathsOf(source, "b/10.md", bench), ["b/10.md"]);
    },
  },
  {
    id: "block/list/prefix-is-literal",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      for (const path of ["a_1.md", "ab1.md", "a%.md", "a.b.md", "a[b].md", "A_1.txt"]) await source.write(path, path);
      assert.deepEqual(await pathsOf(source, "a_", bench), ["a_1.md"]);
      assert.deepEqual(await pathsOf(source, "a%", bench), ["a%.md"]);
      assert.deepEqual(await pathsOf(source, "a.", bench), ["a.b.md"]);
      assert.deepEqual(await pathsOf(source, "a[b]", bench), ["a[b].md"]);
      assert.deepEqual(await pathsOf(source, "*", bench), []);
    },
  },
  {
    id: "block/list/code-point-order",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      // Neither a locale's order nor that of UTF-16, where the emoji comes before the full-width letter.
      const ordered = ["A.md", "B.md", "_.md", "a-b.md", "a/b.md", "ab.md", "b.md", "ä.md", "ｆ.md", "🧠.md"];
      for (const path of ordered.toReversed()) await source.write(path, path);
      assert.deepEqual(await pathsOf(source, "", bench), ordered);
    },
  },
  {
    id: "block/list/entries-are-readable",
    needs: ["write"],
    async run({ open }) {
      const source = await open();
      for (const path of ["a.md", "deep/er/b.md", "ü.md"]) await source.write(path, `text of ${path}: ä🧠`);
      const seen = new Set<string>();
      for (const { path, bytes, modifiedAt } of await entriesOf(source, "")) {
        const text = await textOf(source, path);
        assert.ok(text !== undefined, `"${path}" is listed and cannot be read`);
        assert.ok(!seen.has(path), `"${path}" is listed twice`);
        if (bytes !== undefined) assert.equal(bytes, Buffer.byteLength(text), `bytes of "${path}"`);
        if (modifiedAt !== undefined) assert.ok(!Number.isNaN(modifiedAt.getTime()), `modifiedAt of "${path}"`);
        seen.add(path);
      }
    },
  },
  {
    id: "block/list/early-stop",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      for (const path of ["a.md", "b.md", "c.md"]) await source.write(path, path);
      for await (const _ of source.list("")) break;
      assert.deepEqual(await pathsOf(source, "", bench), ["a.md", "b.md", "c.md"]);
    },
  },
];
