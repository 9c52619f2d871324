import assert from "node:assert/strict";
import { type BlockCase, entriesOf, listedOf, pathsOf, textOf } from "./block-case.ts";
import { MANY, numbered, trickyPrefixesOf } from "./telling-texts.ts";

/** Texts that are written however long it takes: more than two pages of 100. */
const LEAST = 230;
const PATIENCE_MS = 1_500;

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
      const paths = ["b/2.md", "a.md", "b/10.md", "bb.md"].map(bench.path);
      for (const path of paths) await source.write(path, path);
      const prefixes = new Set(paths.flatMap((path) => Array.from(path, (_, end) => path.slice(0, end))));
      for (const prefix of [...prefixes, ...paths]) {
        assert.deepEqual(await pathsOf(source, prefix, bench), listedOf(paths, prefix), `prefix "${prefix}"`);
      }
    },
  },
  {
    id: "block/list/prefix-is-literal",
    needs: ["write"],
    anyPath: true,
    async run(bench) {
      const source = await bench.open();
      const paths = ["a_1.md", "ab1.md", "a%.md", "a.b.md", "a[b].md", "A_1.txt", "caf\u00E9/x.md", "x/a_1.md"];
      for (const path of paths) await source.write(path, path);
      const tricky = ["a_", "a%", "a.", "a[b]", "*", "a*", ".", "_", "cafe\u0301", "CAF\u00C9", "1.md", "/", "(", "^a"];
      for (const prefix of [...tricky, ...paths.flatMap(trickyPrefixesOf)]) {
        assert.deepEqual(await pathsOf(source, prefix, bench), listedOf(paths, prefix), `prefix "${prefix}"`);
      }
    },
  },
  {
    id: "block/list/code-point-order",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      // Neither a locale's order nor that of UTF-16, where the emoji comes before the full-width letter.
      const names = ["A.md", "B.md", "_.md", "a-b.md", "a/b.md", "ab.md", "b.md", "ä.md", "ｆ.md", "🧠.md"];
      const paths = names.map(bench.path);
      for (const path of paths.toReversed()) await source.write(path, path);
      assert.deepEqual(await pathsOf(source, "", bench), listedOf(paths));
    },
  },
  {
    id: "block/list/all-of-many",
    needs: ["write"],
    long: true,
    async run(bench) {
      const source = await bench.open();
      const written: string[] = [];
      const enough = Date.now() + PATIENCE_MS;
      for (const path of numbered(MANY).map(bench.path)) {
        if (written.length >= LEAST && Date.now() > enough) break;
        await source.write(path, path);
        written.push(path);
      }
      assert.deepEqual(await pathsOf(source, "", bench), listedOf(written));
    },
  },
  {
    id: "block/list/follows-others",
    needs: ["write"],
    async run(bench) {
      const [source, other] = [await bench.open(), await bench.open()];
      const paths = ["b.md", "a.md", "c.md"].map(bench.path);
      for (const [at, path] of paths.entries()) {
        await other.write(path, path);
        assert.deepEqual(await pathsOf(source, "", bench), listedOf(paths.slice(0, at + 1)));
      }
    },
  },
  {
    id: "block/list/twice-at-once",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      const paths = ["b.md", "a.md", "c.md"].map(bench.path);
      for (const path of paths) await source.write(path, path);
      const lists = await Promise.all([1, 2, 3].map(() => pathsOf(source, "", bench)));
      for (const list of lists) assert.deepEqual(list, listedOf(paths));
    },
  },
  {
    id: "block/list/removal-skips-no-other",
    needs: ["write", "remove"],
    async run(bench) {
      const [source, other] = [await bench.open(), await bench.open()];
      const paths = listedOf(numbered(12).map(bench.path));
      for (const path of paths) await source.write(path, path);
      const seen: string[] = [];
      for await (const { path } of source.list("")) {
        if (!bench.seed.has(path)) seen.push(path);
        // Paths that were listed already are removed, so that everything behind them moves up.
        if (seen.length === 2) for (const gone of seen) await other.remove(gone);
      }
      assert.deepEqual(seen, paths);
    },
  },
  {
    id: "block/list/entries-are-readable",
    needs: ["write"],
    async run({ open, path: at }) {
      const source = await open();
      const paths = ["a.md", "deep/er/b.md", "ü.md"].map(at);
      for (const path of paths) await source.write(path, `text of ${path}: ä🧠`);
      await source.write(at("empty.md"), "");
      const seen = new Set<string>();
      for (const { path, bytes, modifiedAt } of await entriesOf(source, "")) {
        const text = await textOf(source, path);
        assert.ok(text !== undefined, `"${path}" is listed and cannot be read`);
        assert.ok(!seen.has(path), `"${path}" is listed twice`);
        if (bytes !== undefined) assert.equal(bytes, Buffer.byteLength(text), `bytes of "${path}"`);
        if (modifiedAt !== undefined) assert.ok(!Number.isNaN(modifiedAt.getTime()), `modifiedAt of "${path}"`);
        seen.add(path);
      }
      for (const path of [...paths, at("empty.md")]) assert.ok(seen.has(path), `"${path}" is not listed`);
    },
  },
  {
    id: "block/list/early-stop",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      const paths = ["a.md", "b.md", "c.md"].map(bench.path);
      for (const path of paths) await source.write(path, path);
      for await (const _ of source.list("")) break;
      assert.deepEqual(await pathsOf(source, "", bench), listedOf(paths));
    },
  },
];
