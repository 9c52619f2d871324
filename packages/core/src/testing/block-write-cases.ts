import assert from "node:assert/strict";
import { IkigaiError } from "../errors.ts";
import { type BlockCase, pathsOf, textOf } from "./block-case.ts";
import { rejectsWith } from "./suite.ts";

const ODD_TEXTS: readonly string[] = [
  "plain",
  "",
  " ",
  "\n",
  "no newline at the end",
  "trailing spaces   \n\n\n",
  "línea\r\n\ttab\r\n",
  "\rold\r",
  "\uFEFFwith a byte order mark\n",
  "emoji 🧠 and é written twice: e\u0301\n",
  "\u2028\u2029\u0085",
  '{"json": "\\"quoted\\""}',
  "null",
  "0",
  "' ; -- %s %20 ${x} \\n",
  `${"x".repeat(99_999)}\n`,
];

const ODD_PATHS: readonly string[] = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "notes/naïve café/日本語 🧠.md",
  "notes/naive cafe/x.md",
  " leading space.md",
  "a b.md",
  "a%20b.md",
  "a+b.md",
  "a#b.md",
  "a?b=c.md",
  "a:b.md",
  "q'u\"o.md",
  ".hidden.md",
  "..dots.md",
  "very/deep/folder/of/folders/x.md",
];

/** Writing, by one writer at a time. */
export const writeCases: readonly BlockCase[] = [
  {
    id: "block/write/round-trip",
    needs: ["write"],
    async run({ open }) {
      const [source, other] = [await open(), await open()];
      for (const text of ODD_TEXTS) {
        const written = await source.write("notes/a.md", text);
        assert.deepEqual(await source.read("notes/a.md"), { text, version: written.version });
        assert.equal(await textOf(other, "notes/a.md"), text, "another instance sees it");
      }
    },
  },
  {
    id: "block/write/returns-what-was-written",
    needs: ["write"],
    async run({ open }) {
      const source = await open();
      const { text, version } = await source.write("a.md", "text\r\n");
      assert.equal(text, "text\r\n");
      assert.ok(typeof version === "string" && version !== "", "the version is a text");
    },
  },
  {
    id: "block/write/alters-nothing",
    needs: ["write"],
    async run({ open }) {
      const source = await open();
      for (const [at, text] of ["half a \ud83e pair", "a NUL \0 inside"].entries()) {
        const path = `odd-${at}.md`;
        const stored = await source.write(path, text).catch((error: unknown) => error);
        const refused = IkigaiError.is(stored, "invalid_input") || IkigaiError.is(stored, "unsupported");
        if (stored instanceof Error && !refused) assert.fail(`wanted invalid_input, got ${stored}`);
        assert.equal(await textOf(source, path), refused ? undefined : text, "stored as it is, or refused");
      }
    },
  },
  {
    id: "block/write/version-follows-text",
    needs: ["write"],
    async run({ open }) {
      const source = await open();
      const versions = new Set<string>();
      for (const text of ["one", "two", "two ", "", "TWO"]) versions.add((await source.write("a.md", text)).version);
      assert.equal(versions.size, 5);
    },
  },
  {
    id: "block/write/paths-are-apart",
    needs: ["write"],
    async run({ open }) {
      const source = await open();
      for (const path of ODD_PATHS) await source.write(path, `text of ${path}`, { expected: null });
      for (const path of ODD_PATHS) assert.equal(await textOf(source, path), `text of ${path}`);
      const listed = new Set(await pathsOf(source, ""));
      for (const path of ODD_PATHS) assert.ok(listed.has(path), `"${path}" is not listed`);
    },
  },
  {
    id: "block/write/create-only",
    needs: ["write"],
    async run({ open }) {
      const source = await open();
      await source.write("a.md", "first", { expected: null });
      await rejectsWith(source.write("a.md", "second", { expected: null }), "conflict");
      assert.equal(await textOf(source, "a.md"), "first");
      await source.write("empty.md", "", { expected: null });
      await rejectsWith(source.write("empty.md", "second", { expected: null }), "conflict");
    },
  },
  {
    id: "block/write/expected-version-saves",
    needs: ["write"],
    async run({ open }) {
      const [source, other] = [await open(), await open()];
      const first = await source.write("a.md", "one");
      const second = await source.write("a.md", "two", { expected: first.version });
      await other.write("a.md", "three", { expected: second.version });
      const third = await source.read("a.md");
      assert.equal(third?.text, "three");
      await source.write("a.md", "four", { expected: third.version });
      assert.equal(await textOf(other, "a.md"), "four");
    },
  },
  {
    id: "block/write/without-expected-overwrites",
    needs: ["write"],
    async run({ open }) {
      const [source, other] = [await open(), await open()];
      await source.write("a.md", "mine");
      await other.write("a.md", "theirs");
      await source.write("a.md", "mine again");
      assert.equal(await textOf(other, "a.md"), "mine again");
    },
  },
  {
    id: "block/write/stale-version-changes-nothing",
    needs: ["write"],
    async run({ open }) {
      const [source, other] = [await open(), await open()];
      const { version } = await source.write("a.md", "mine");
      const theirs = await other.write("a.md", "theirs");
      for (const writer of [source, other]) {
        await rejectsWith(writer.write("a.md", "mine again", { expected: version }), "conflict");
      }
      assert.deepEqual(await source.read("a.md"), { text: "theirs", version: theirs.version });
    },
  },
  {
    id: "block/write/expected-version-of-absent-conflicts",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      const { version } = await source.write("a.md", "here");
      await rejectsWith(source.write("b.md", "there", { expected: version }), "conflict");
      await rejectsWith(source.write("b.md", "there", { expected: "" }), "conflict");
      assert.equal(await source.read("b.md"), undefined);
      assert.deepEqual(await pathsOf(source, "", bench), ["a.md"]);
    },
  },
  {
    id: "block/write/survives-reopen",
    needs: ["write"],
    async run({ open }) {
      const source = await open();
      const { version } = await source.write("a.md", "kept");
      await source.close?.();
      assert.deepEqual(await (await open()).read("a.md"), { text: "kept", version });
    },
  },
  {
    id: "block/write/aborted-signal-writes-nothing",
    needs: ["write"],
    async run({ open }) {
      const source = await open();
      const { version } = await source.write("a.md", "before");
      const signal = AbortSignal.abort();
      await assert.rejects(source.write("a.md", "after", { signal, expected: version }), "it resolved");
      await assert.rejects(source.write("b.md", "after", { signal }), "it resolved");
      assert.deepEqual(await source.read("a.md"), { text: "before", version });
      assert.equal(await source.read("b.md"), undefined);
    },
  },
];
