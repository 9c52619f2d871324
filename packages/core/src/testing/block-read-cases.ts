import assert from "node:assert/strict";
import { type BlockCase, entriesOf, textAtFolder, textOf } from "./block-case.ts";
import { settles } from "./suite.ts";
import { misspellingsOf } from "./telling-texts.ts";

/** Reading, and what every source promises however little it can do. */
export const readCases: readonly BlockCase[] = [
  {
    id: "block/read/absent-is-undefined",
    needs: [],
    async run({ open, path }) {
      const source = await open();
      for (const absent of ["no/such/block.md", "no-such-block", path("absent.md")]) {
        assert.equal(await source.read(absent), undefined);
      }
    },
  },
  {
    id: "block/read/object-property-names",
    needs: [],
    async run({ open }) {
      const source = await open();
      for (const path of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
        assert.equal(await source.read(path), undefined, path);
      }
    },
  },
  {
    id: "block/read/version-is-stable",
    needs: ["write"],
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      const { version } = await source.write(path("a.md"), "the same");
      for (const reader of [source, source, other]) {
        assert.deepEqual(await reader.read(path("a.md")), { text: "the same", version });
      }
    },
  },
  {
    id: "block/read/spelling-matters",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      const written = [path("Notes/café Menu.md"), path("b.md")];
      for (const one of written) await source.write(one, `text of ${one}`);
      for (const spelling of written.flatMap(misspellingsOf)) {
        assert.equal(await source.read(spelling), undefined, `nothing is at "${spelling}"`);
      }
    },
  },
  {
    id: "block/read/folder-is-absent",
    needs: ["write"],
    anyPath: true,
    async run({ open }) {
      const source = await open();
      await source.write("b/c/a.md", "here");
      for (const folder of ["b", "b/c"])
        assert.equal(await textAtFolder(source, folder), undefined, `"${folder}" is no text`);
    },
  },
  {
    id: "block/read/follows-others",
    needs: ["write"],
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      assert.equal(await source.read(path("a.md")), undefined);
      for (const text of ["created by another", "changed by another"]) {
        await other.write(path("a.md"), text);
        assert.equal(await textOf(source, path("a.md")), text);
      }
    },
  },
  {
    id: "block/read/at-once",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      const paths = Array.from({ length: 8 }, (_, n) => path(`${n}.md`));
      for (const one of paths) await source.write(one, `text of ${one}`);
      const texts = await Promise.all([...paths, ...paths.toReversed()].map((one) => textOf(source, one)));
      assert.deepEqual(
        texts,
        [...paths, ...paths.toReversed()].map((one) => `text of ${one}`),
      );
    },
  },
  {
    id: "block/read/aborted-signal-settles",
    needs: [],
    async run({ open, path }) {
      const source = await open();
      await settles(source.read(path("a.md"), { signal: AbortSignal.abort() }));
      await settles(drain(source.list("", { signal: AbortSignal.abort() })));
    },
  },
  {
    id: "block/close/twice",
    needs: [],
    async run({ open }) {
      const source = await open();
      await source.close?.();
      await source.close?.();
    },
  },
  {
    id: "block/close/leaves-other-instances",
    needs: [],
    async run({ open, seed }) {
      const [source, other] = [await open(), await open()];
      await source.close?.();
      assert.equal(await other.read("no/such/block.md"), undefined);
      assert.equal((await entriesOf(other, "")).length, seed.size);
      for (const [path, text] of seed) assert.equal(await textOf(other, path), text);
    },
  },
];

async function drain(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values);
}
