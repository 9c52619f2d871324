import assert from "node:assert/strict";
import { type BlockCase, listedOf, pathsOf, textOf } from "./block-case.ts";
import { startWatch } from "./block-watch-cases.ts";
import { LONG_TEXTS, MANY, NEAR_TEXTS, numbered, ODD_TEXTS } from "./telling-texts.ts";

/** What others put into the storage is seen as it is. Run when the suite is told how to put something there. */
export const outsideCases: readonly BlockCase[] = [
  {
    id: "block/outside/text-is-kept",
    needs: [],
    async run({ open, put, path }) {
      const texts = Object.fromEntries([...ODD_TEXTS, ...LONG_TEXTS].map((text, n) => [path(`text-${n}.md`), text]));
      await put(texts);
      const source = await open();
      for (const [at, text] of Object.entries(texts)) {
        assert.ok((await textOf(source, at)) === text, `"${at}" holds ${JSON.stringify(text.slice(0, 60))}`);
      }
    },
  },
  {
    id: "block/outside/list-has-all-of-many",
    needs: [],
    long: true,
    async run({ open, put, path }) {
      const paths = numbered(MANY).map(path);
      await put(Object.fromEntries(paths.map((one) => [one, one])));
      assert.deepEqual(await pathsOf(await open(), ""), listedOf(paths));
    },
  },
  {
    id: "block/outside/version-follows-text",
    needs: [],
    long: true,
    async run({ open, put, path }) {
      const a = path("a.md");
      const versions = new Map<string, string>();
      for (const text of NEAR_TEXTS) {
        await put({ [a]: text });
        const found = await (await open()).read(a);
        assert.ok(found?.text === text, "the new text is there");
        const same = versions.get(found.version);
        assert.equal(same, undefined, `the version of ${JSON.stringify(text.slice(0, 40))} was that of another text`);
        versions.set(found.version, text);
      }
    },
  },
  {
    id: "block/outside/change-is-seen",
    needs: [],
    async run({ open, put, path }) {
      const [a, b] = [path("a.md"), path("b.md")];
      await put({ [a]: "one", [b]: "stays" });
      const source = await open();
      const before = await source.read(a);
      assert.equal(before?.text, "one");
      assert.deepEqual(await pathsOf(source, ""), listedOf([a, b]));
      assert.equal(await source.read(path("c.md")), undefined);
      await put({ [a]: "two", [path("c.md")]: "new" });
      assert.equal(await textOf(source, path("c.md")), "new");
      const after = await source.read(a);
      assert.equal(after?.text, "two");
      assert.notEqual(after.version, before.version);
      assert.equal(await textOf(source, b), "stays");
    },
  },
  {
    id: "block/outside/removal-is-seen",
    needs: [],
    async run({ open, put, path }) {
      const paths = ["a.md", "b.md", "c.md"].map(path);
      await put(Object.fromEntries(paths.map((one) => [one, `text of ${one}`])));
      const source = await open();
      assert.deepEqual(await pathsOf(source, ""), listedOf(paths));
      await put({ [paths[0] as string]: undefined });
      assert.equal(await source.read(paths[0] as string), undefined);
      assert.deepEqual(await pathsOf(source, ""), listedOf(paths.slice(1)));
    },
  },
  {
    id: "block/outside/stale-version-conflicts",
    needs: ["write"],
    async run({ open, put, path }) {
      const source = await open();
      const { version } = await source.write(path("a.md"), "mine");
      await put({ [path("a.md")]: "theirs" });
      await assert.rejects(source.write(path("a.md"), "mine again", { expected: version }), { code: "conflict" });
      assert.equal(await textOf(source, path("a.md")), "theirs");
    },
  },
  {
    id: "block/outside/watch-sees-it",
    needs: ["watch"],
    async run({ open, put, path }) {
      const a = path("a.md");
      using watch = startWatch(await open());
      for (const [at, text] of (["one", "two", undefined] as const).entries()) {
        await put({ [a]: text });
        await watch.reach(a, at + 1);
      }
      assert.deepEqual(
        watch.seen.map(({ change }) => change),
        ["created", "updated", "removed"],
      );
    },
  },
  {
    id: "block/outside/history-has-it",
    needs: ["history"],
    async run({ open, put, path }) {
      const [a, b] = [path("a.md"), path("a.md.bak")];
      for (const text of ["one", "two", "three"]) await put({ [a]: text, [b]: `not ${text}` });
      const source = await open();
      const texts: string[] = [];
      for await (const { text } of source.history(a)) texts.push(text);
      assert.deepEqual(texts, ["three", "two", "one"]);
    },
  },
];
