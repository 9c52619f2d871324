import assert from "node:assert/strict";
import { type BlockCase, entriesOf, textOf } from "./block-case.ts";
import { settles } from "./suite.ts";

/** Reading, and what every source promises however little it can do. */
export const readCases: readonly BlockCase[] = [
  {
    id: "block/read/absent-is-undefined",
    needs: [],
    async run({ open }) {
      const source = await open();
      for (const path of ["no/such/block.md", "no-such-block"]) assert.equal(await source.read(path), undefined);
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
    async run({ open }) {
      const [source, other] = [await open(), await open()];
      const { version } = await source.write("a.md", "the same");
      for (const reader of [source, source, other]) {
        assert.deepEqual(await reader.read("a.md"), { text: "the same", version });
      }
    },
  },
  {
    id: "block/read/aborted-signal-settles",
    needs: [],
    async run({ open }) {
      const source = await open();
      await settles(source.read("a.md", { signal: AbortSignal.abort() }));
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
