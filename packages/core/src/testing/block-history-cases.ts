import assert from "node:assert/strict";
import type { TextRevision } from "../source/source.ts";
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
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      for (const text of ["one", "two", "three"]) await source.write(path("a.md"), text);
      await source.write(path("b.md"), "another path");
      for (const reader of [source, other]) {
        const revisions = await revisionsOf(reader, path("a.md"));
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
    async run({ open, path }) {
      const source = await open();
      const versions: string[] = [];
      for (const text of ["one", "two", "three"]) {
        versions.unshift((await source.write(path("a.md"), text)).version);
        const [newest] = await revisionsOf(source, path("a.md"));
        const present = await source.read(path("a.md"));
        assert.deepEqual({ text: newest?.text, version: newest?.version }, present);
      }
      const revisions = await revisionsOf(source, path("a.md"));
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
    async run({ open, path }) {
      const source = await open();
      await source.write(path("a.md"), "one");
      await source.write(path("a.md"), "refused", { expected: null }).catch(() => {});
      assert.equal((await revisionsOf(source, path("a.md"))).length, 1);
    },
  },
  {
    id: "block/history/aborted-write-leaves-no-trace",
    needs: ["write", "history"],
    async run({ open, path }) {
      const source = await open();
      await source.write(path("a.md"), "one");
      const signal = AbortSignal.abort();
      await source.write(path("a.md"), "aborted", { signal }).catch(() => {});
      await source.write(path("b.md"), "aborted", { signal }).catch(() => {});
      assert.deepEqual(textsOf(await revisionsOf(source, path("a.md"))), ["one"]);
      assert.deepEqual(textsOf(await revisionsOf(source, path("b.md"))), []);
    },
  },
  {
    id: "block/history/paths-are-apart",
    needs: ["write", "history"],
    async run({ open, path }) {
      const source = await open();
      const names = ["a.md", "a.md.bak", "a.mdx", "a.m", "a", "b/a.md", "A.md"].map(path);
      for (const round of [1, 2]) for (const name of names) await source.write(name, `${round} of ${name}`);
      for (const name of names) {
        assert.deepEqual(textsOf(await revisionsOf(source, name)), [`2 of ${name}`, `1 of ${name}`], `of "${name}"`);
      }
    },
  },
  {
    id: "block/history/folder-has-none",
    needs: ["write", "history"],
    anyPath: true,
    async run({ open }) {
      const source = await open();
      await source.write("b/c/a.md", "inside");
      for (const folder of ["b", "b/c"]) assert.deepEqual(await revisionsOf(source, folder), []);
    },
  },
  {
    id: "block/history/goes-back-far",
    needs: ["write", "history"],
    async run({ open, path }) {
      const source = await open();
      const texts = Array.from({ length: 25 }, (_, n) => `text ${n}\r\n`);
      for (const text of texts) await source.write(path("a.md"), text);
      assert.deepEqual(textsOf(await revisionsOf(source, path("a.md"))), texts.toReversed());
      for await (const { text } of source.history(path("a.md"))) {
        assert.equal(text, texts.at(-1), "a reader that leaves after the newest");
        break;
      }
      assert.equal((await revisionsOf(source, path("a.md"))).length, texts.length);
    },
  },
  {
    id: "block/history/outlives-removal",
    needs: ["write", "remove", "history"],
    async run({ open, path }) {
      const source = await open();
      for (const text of ["one", "two"]) await source.write(path("a.md"), text);
      await source.remove(path("a.md"));
      assert.deepEqual(textsOf(await revisionsOf(source, path("a.md"))), ["two", "one"]);
      await source.write(path("a.md"), "three");
      assert.deepEqual(textsOf(await revisionsOf(source, path("a.md"))), ["three", "two", "one"]);
    },
  },
  {
    id: "block/history/survives-reopen",
    needs: ["write", "history"],
    async run({ open, path }) {
      const source = await open();
      for (const text of ["one", "two"]) await source.write(path("a.md"), text);
      const before = await revisionsOf(source, path("a.md"));
      await source.close?.();
      assert.deepEqual(await revisionsOf(await open(), path("a.md")), before);
    },
  },
];

async function revisionsOf(source: AnyBlock, path: string): Promise<TextRevision[]> {
  const revisions: TextRevision[] = [];
  for await (const revision of source.history(path)) revisions.push(revision);
  return revisions;
}

function textsOf(revisions: readonly TextRevision[]): string[] {
  return revisions.map(({ text }) => text);
}
