import assert from "node:assert/strict";
import { IkigaiError, messageOf } from "../errors.ts";
import { type AnyBlock, type BlockCase, listedOf, pathsOf, textAtFolder, textOf } from "./block-case.ts";
import { rejectsWith, settles } from "./suite.ts";
import { LONG_TEXTS, NEAR_TEXTS, ODD_PATHS, ODD_TEXTS } from "./telling-texts.ts";

/** Writing, by one writer at a time. */
export const writeCases: readonly BlockCase[] = [
  {
    id: "block/write/round-trip",
    needs: ["write"],
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      for (const text of ODD_TEXTS) {
        const written = await source.write(path("notes/a.md"), text);
        assert.deepEqual(await source.read(path("notes/a.md")), { text, version: written.version });
        assert.equal(await textOf(other, path("notes/a.md")), text, "another instance sees it");
      }
    },
  },
  {
    id: "block/write/returns-what-was-written",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      const { text, version } = await source.write(path("a.md"), "text\r\n");
      assert.equal(text, "text\r\n");
      assert.ok(typeof version === "string" && version !== "", "the version is a text");
    },
  },
  {
    id: "block/write/alters-nothing",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      for (const [at, text] of ["half a \ud83e pair", "a NUL \0 inside"].entries()) {
        await keptOrRefused(source, path(`odd-${at}.md`), text);
      }
    },
  },
  {
    id: "block/write/long-text",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      for (const [at, text] of LONG_TEXTS.entries()) await keptOrRefused(source, path(`long-${at}.md`), text);
    },
  },
  {
    id: "block/write/version-follows-text",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      const versions = new Map<string, string>();
      for (const text of NEAR_TEXTS) {
        const { version } = await source.write(path("a.md"), text);
        const same = versions.get(version);
        assert.equal(same, undefined, `${brief(text)} has the version that ${brief(same)} had`);
        versions.set(version, text);
      }
    },
  },
  {
    id: "block/write/paths-are-apart",
    needs: ["write"],
    anyPath: true,
    async run({ open }) {
      const source = await open();
      for (const path of ODD_PATHS) await source.write(path, `text of ${path}`, { expected: null });
      for (const path of ODD_PATHS) assert.equal(await textOf(source, path), `text of ${path}`);
      const listed = new Set(await pathsOf(source, ""));
      for (const path of ODD_PATHS) assert.ok(listed.has(path), `"${path}" is not listed`);
    },
  },
  {
    id: "block/write/folder-is-kept",
    needs: ["write"],
    anyPath: true,
    async run(bench) {
      const source = await bench.open();
      await source.write("b/a.md", "inside");
      // Whether text can be at the path of a folder is the source's affair; that what is in it stays is not.
      for (const [path, inside] of [
        ["b", "b/a.md"],
        ["b/a.md/c.md", "b/a.md"],
      ] as const) {
        const refused = await source.write(path, "at the folder's path").then(
          () => undefined,
          (error: unknown) => error,
        );
        if (refused !== undefined) assert.ok(IkigaiError.is(refused), `wanted a code, got ${messageOf(refused)}`);
        assert.equal(await textAtFolder(source, path), refused === undefined ? "at the folder's path" : undefined);
        assert.equal(await textOf(source, inside), "inside");
      }
    },
  },
  {
    id: "block/write/leaves-neighbours",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      const paths = ["a.md", "a.md.bak", "a.m", "b/a.md", "a.mdx"].map(bench.path);
      for (const path of paths) await source.write(path, `text of ${path}`);
      await source.write(bench.path("a.md"), "changed");
      for (const path of paths.slice(1)) assert.equal(await textOf(source, path), `text of ${path}`);
      assert.deepEqual(await pathsOf(source, "", bench), listedOf(paths));
    },
  },
  {
    id: "block/write/create-only",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      await source.write(path("a.md"), "first", { expected: null });
      await rejectsWith(source.write(path("a.md"), "second", { expected: null }), "conflict");
      assert.equal(await textOf(source, path("a.md")), "first");
      await source.write(path("empty.md"), "", { expected: null });
      await rejectsWith(source.write(path("empty.md"), "second", { expected: null }), "conflict");
    },
  },
  {
    id: "block/write/expected-version-saves",
    needs: ["write"],
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      const first = await source.write(path("a.md"), "one");
      const second = await source.write(path("a.md"), "two", { expected: first.version });
      await other.write(path("a.md"), "three", { expected: second.version });
      const third = await source.read(path("a.md"));
      assert.equal(third?.text, "three");
      await source.write(path("a.md"), "four", { expected: third.version });
      assert.equal(await textOf(other, path("a.md")), "four");
    },
  },
  {
    id: "block/write/without-expected-overwrites",
    needs: ["write"],
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      await source.write(path("a.md"), "mine");
      await other.write(path("a.md"), "theirs");
      await source.write(path("a.md"), "mine again");
      assert.equal(await textOf(other, path("a.md")), "mine again");
    },
  },
  {
    id: "block/write/stale-version-changes-nothing",
    needs: ["write"],
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      const { version } = await source.write(path("a.md"), "mine");
      const theirs = await other.write(path("a.md"), "theirs");
      for (const writer of [source, other]) {
        await rejectsWith(writer.write(path("a.md"), "mine again", { expected: version }), "conflict");
      }
      assert.deepEqual(await source.read(path("a.md")), { text: "theirs", version: theirs.version });
    },
  },
  {
    id: "block/write/expected-version-is-exact",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      const old = await source.write(path("a.md"), "old");
      const foreign = await source.write(path("b.md"), "another path");
      const { version } = await source.write(path("a.md"), "here");
      for (const expected of [
        "",
        " ",
        version.slice(0, -1),
        `${version}0`,
        ` ${version}`,
        old.version,
        foreign.version,
      ]) {
        await rejectsWith(source.write(path("a.md"), "there", { expected }), "conflict");
      }
      assert.deepEqual(await source.read(path("a.md")), { text: "here", version });
    },
  },
  {
    id: "block/write/expected-version-of-absent-conflicts",
    needs: ["write"],
    async run(bench) {
      const { path } = bench;
      const source = await bench.open();
      const { version } = await source.write(path("a.md"), "here");
      await rejectsWith(source.write(path("b.md"), "there", { expected: version }), "conflict");
      await rejectsWith(source.write(path("b.md"), "there", { expected: "" }), "conflict");
      assert.equal(await source.read(path("b.md")), undefined);
      assert.deepEqual(await pathsOf(source, "", bench), [path("a.md")]);
    },
  },
  {
    id: "block/write/survives-reopen",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      const { version } = await source.write(path("a.md"), "kept");
      await source.close?.();
      assert.deepEqual(await (await open()).read(path("a.md")), { text: "kept", version });
    },
  },
  {
    id: "block/write/aborted-signal-writes-nothing",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      const { version } = await source.write(path("a.md"), "before");
      const signal = AbortSignal.abort();
      await assert.rejects(source.write(path("a.md"), "after", { signal, expected: version }), "it resolved");
      await assert.rejects(source.write(path("b.md"), "after", { signal }), "it resolved");
      assert.deepEqual(await source.read(path("a.md")), { text: "before", version });
      assert.equal(await source.read(path("b.md")), undefined);
    },
  },
  {
    id: "block/write/abort-on-the-way-leaves-it-usable",
    needs: ["write"],
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      await source.write(path("a.md"), "before");
      for (const ticks of [0, 1, 5]) {
        const aborting = new AbortController();
        const writing = source.write(path("a.md"), "during", { signal: aborting.signal });
        for (let at = 0; at < ticks; at++) await Promise.resolve();
        aborting.abort();
        await settles(writing);
        assert.match((await textOf(source, path("a.md"))) ?? "", /^(before|during)$/, "one of the two texts is there");
        // A lock that was left behind would hold these up.
        await other.write(path("a.md"), "before");
        await source.write(path("a.md"), "before");
      }
    },
  },
  {
    id: "block/write/takes-reason-and-actor",
    needs: ["write"],
    async run({ open, path }) {
      const source = await open();
      const actor = { agent: "ana", conversation: "c", callId: "1", tool: "file" };
      const first = await source.write(path("a.md"), "one", { reason: "to see", actor, expected: null });
      await source.write(path("a.md"), "two", { reason: "", actor, expected: first.version });
      assert.equal((await source.read(path("a.md"), { actor }))?.text, "two");
    },
  },
];

/** Fails unless the text is stored as it is, or refused with a code that says so and nothing stored. */
async function keptOrRefused(source: AnyBlock, path: string, text: string): Promise<void> {
  const stored = await source.write(path, text).catch((error: unknown) => error);
  const refused = IkigaiError.is(stored, "invalid_input") || IkigaiError.is(stored, "unsupported");
  if (stored instanceof Error && !refused) assert.fail(`wanted invalid_input or unsupported, got ${stored}`);
  const found = await textOf(source, path);
  const whole = found === (refused ? undefined : text);
  assert.ok(whole, `of ${text.length} characters ${found?.length ?? "none"} are there, altered`);
}

function brief(text = ""): string {
  return text.length > 40 ? `a text of ${text.length} characters` : JSON.stringify(text);
}
