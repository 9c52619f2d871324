import assert from "node:assert/strict";
import { compareCodePoints } from "../address.ts";
import { type BlockCase, entriesOf, listedOf, pathsOf, textOf } from "./block-case.ts";
import { misspellingsOf, trickyPrefixesOf } from "./telling-texts.ts";

/**
 * How many paths of the seed are tried in other spellings and as prefixes, so that a large seed takes no longer than
 * a small one.
 */
const TRIED = 20;
const MOST_PREFIXES = 80;

/** What the options made exist is there, whole and in order. All that a read-only source can show. */
export const seedCases: readonly BlockCase[] = [
  {
    id: "block/seed/is-read",
    needs: [],
    long: true,
    async run({ open, seed }) {
      const source = await open();
      for (const [path, text] of seed) assert.equal((await source.read(path))?.text, text, path);
    },
  },
  {
    id: "block/seed/version-is-stable",
    needs: [],
    long: true,
    async run({ open, seed }) {
      const [source, other] = [await open(), await open()];
      for (const path of tried(seed)) {
        const first = await source.read(path);
        assert.ok(typeof first?.version === "string" && first.version !== "", `version of "${path}"`);
        assert.deepEqual(await source.read(path), first);
        assert.deepEqual(await other.read(path), first);
      }
    },
  },
  {
    id: "block/seed/spelling-matters",
    needs: [],
    long: true,
    async run({ open, seed }) {
      const source = await open();
      for (const spelling of tried(seed).flatMap(misspellingsOf)) {
        if (seed.has(spelling)) continue;
        assert.equal(await source.read(spelling), undefined, `nothing is at "${spelling}"`);
      }
    },
  },
  {
    id: "block/seed/is-read-at-once",
    needs: [],
    async run({ open, seed }) {
      const source = await open();
      const paths = [...tried(seed), ...tried(seed).toReversed()];
      const texts = await Promise.all(paths.map((path) => textOf(source, path)));
      for (const [at, path] of paths.entries()) assert.ok(texts[at] === seed.get(path), `the text of "${path}"`);
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
    id: "block/seed/is-listed-again",
    needs: [],
    async run({ open, seed }) {
      const source = await open();
      const wanted = listedOf(seed.keys());
      const [first, second] = await Promise.all([pathsOf(source, ""), pathsOf(source, "")]);
      assert.deepEqual(first, wanted);
      assert.deepEqual(second, wanted, "a list at the same time");
      assert.deepEqual(await pathsOf(source, ""), wanted, "a list after it");
    },
  },
  {
    id: "block/seed/is-listed-by-prefix",
    needs: [],
    long: true,
    async run({ open, seed }) {
      const source = await open();
      const prefixes = new Set(
        listedOf(seed.keys()).flatMap((path) =>
          Array.from(path, (_, at) =>
            Array.from(path)
              .slice(0, at + 1)
              .join(""),
          ),
        ),
      );
      for (const prefix of [...prefixes].slice(0, MOST_PREFIXES)) {
        assert.deepEqual(await pathsOf(source, prefix), listedOf(seed.keys(), prefix), `prefix "${prefix}"`);
      }
    },
  },
  {
    id: "block/seed/prefix-is-literal",
    needs: [],
    long: true,
    async run({ open, seed }) {
      const source = await open();
      const prefixes = new Set(["*", "%", ".", "_", "/", ...tried(seed).flatMap(trickyPrefixesOf)]);
      for (const prefix of [...prefixes].slice(0, MOST_PREFIXES)) {
        assert.deepEqual(await pathsOf(source, prefix), listedOf(seed.keys(), prefix), `prefix "${prefix}"`);
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

/** Some of the seed's paths: those with letters outside ASCII or of both cases first, since they are the telling ones. */
function tried(seed: ReadonlyMap<string, string>): string[] {
  const paths = [...seed.keys()];
  const telling = (path: string): number => Number(/[^\0-\x7F]/.test(path)) + Number(/[A-Z]/.test(path));
  return paths.toSorted((a, b) => telling(b) - telling(a)).slice(0, TRIED);
}
