import assert from "node:assert/strict";
import { compareCodePoints } from "../address.ts";
import { type BlockCase, entriesOf, pathsOf } from "./block-case.ts";

/** What the options made exist is there, whole and in order. All that a read-only source can show. */
export const seedCases: readonly BlockCase[] = [
  {
    id: "block/seed/is-read",
    needs: [],
    async run({ open, seed }) {
      const source = await open();
      for (const [path, text] of seed) assert.equal((await source.read(path))?.text, text, path);
    },
  },
  {
    id: "block/seed/version-is-stable",
    needs: [],
    async run({ open, seed }) {
      const [source, other] = [await open(), await open()];
      for (const path of seed.keys()) {
        const first = await source.read(path);
        assert.ok(typeof first?.version === "string" && first.version !== "", `version of "${path}"`);
        assert.deepEqual(await source.read(path), first);
        assert.deepEqual(await other.read(path), first);
      }
    },
  },
  {
    id: "block/seed/is-listed-in-order",
    needs: [],
    async run({ open, seed }) {
      const listed = await pathsOf(await open(), "");
      assert.deepEqual(listed, [...seed.keys()].toSorted(compareCodePoints));
    },
  },
  {
    id: "block/seed/is-listed-by-prefix",
    needs: [],
    async run({ open, seed }) {
      const source = await open();
      const all = [...seed.keys()].toSorted(compareCodePoints);
      const prefixes = new Set(
        all.flatMap((path) =>
          Array.from(path, (_, at) =>
            Array.from(path)
              .slice(0, at + 1)
              .join(""),
          ),
        ),
      );
      for (const prefix of [...prefixes].slice(0, 100)) {
        const wanted = all.filter((path) => path.startsWith(prefix));
        assert.deepEqual(await pathsOf(source, prefix), wanted, `prefix "${prefix}"`);
      }
    },
  },
  {
    id: "block/seed/entries-are-true",
    needs: [],
    async run({ open, seed }) {
      for (const { path, bytes, modifiedAt } of await entriesOf(await open(), "")) {
        if (bytes !== undefined) assert.equal(bytes, Buffer.byteLength(seed.get(path) ?? ""), `bytes of "${path}"`);
        if (modifiedAt !== undefined) assert.ok(!Number.isNaN(modifiedAt.getTime()), `modifiedAt of "${path}"`);
      }
    },
  },
  {
    id: "block/seed/early-stop",
    needs: [],
    async run({ open, seed }) {
      const source = await open();
      for await (const _ of source.list("")) break;
      assert.equal((await pathsOf(source, "")).length, seed.size);
    },
  },
];
