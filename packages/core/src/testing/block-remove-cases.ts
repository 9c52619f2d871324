import assert from "node:assert/strict";
import { type BlockCase, pathsOf, textOf } from "./block-case.ts";
import { rejectsWith } from "./suite.ts";

/** Removing. */
export const removeCases: readonly BlockCase[] = [
  {
    id: "block/remove/absent-rejects",
    needs: ["remove"],
    async run({ open }) {
      const source = await open();
      await rejectsWith(source.remove("no.md"), "not_found");
      await rejectsWith(source.remove("no.md", { expected: "some version" }), "not_found", "conflict");
    },
  },
  {
    id: "block/remove/forgets",
    needs: ["write", "remove"],
    async run(bench) {
      const [source, other] = [await bench.open(), await bench.open()];
      await source.write("a.md", "gone soon");
      await source.write("a.md.bak", "stays");
      await source.write("b/a.md", "stays too");
      await source.remove("a.md");
      for (const reader of [source, other]) {
        assert.equal(await reader.read("a.md"), undefined);
        assert.deepEqual(await pathsOf(reader, "", bench), ["a.md.bak", "b/a.md"]);
        assert.equal(await textOf(reader, "a.md.bak"), "stays");
      }
      await rejectsWith(source.remove("a.md"), "not_found");
    },
  },
  {
    id: "block/remove/survives-reopen",
    needs: ["write", "remove"],
    async run({ open }) {
      const source = await open();
      await source.write("a.md", "gone soon");
      await source.remove("a.md");
      await source.close?.();
      assert.equal(await (await open()).read("a.md"), undefined);
    },
  },
  {
    id: "block/remove/expected-version-removes",
    needs: ["write", "remove"],
    async run({ open }) {
      const source = await open();
      const { version } = await source.write("a.md", "seen");
      await source.remove("a.md", { expected: version });
      assert.equal(await source.read("a.md"), undefined);
    },
  },
  {
    id: "block/remove/stale-version-removes-nothing",
    needs: ["write", "remove"],
    async run({ open }) {
      const [source, other] = [await open(), await open()];
      const { version } = await source.write("a.md", "seen");
      const newer = await other.write("a.md", "not seen");
      await rejectsWith(source.remove("a.md", { expected: version }), "conflict");
      assert.deepEqual(await source.read("a.md"), { text: "not seen", version: newer.version });
    },
  },
  {
    id: "block/remove/recreated-block-is-new",
    needs: ["write", "remove"],
    async run({ open }) {
      const source = await open();
      const old = await source.write("a.md", "first life");
      await source.remove("a.md");
      await rejectsWith(source.write("a.md", "from the past", { expected: old.version }), "conflict");
      assert.equal(await source.read("a.md"), undefined);
      await source.write("a.md", "second life", { expected: null });
      await rejectsWith(source.write("a.md", "from the past", { expected: old.version }), "conflict");
      assert.equal(await textOf(source, "a.md"), "second life");
    },
  },
  {
    id: "block/remove/aborted-signal-removes-nothing",
    needs: ["write", "remove"],
    async run({ open }) {
      const source = await open();
      await source.write("a.md", "stays");
      await assert.rejects(source.remove("a.md", { signal: AbortSignal.abort() }), "it resolved");
      assert.equal(await textOf(source, "a.md"), "stays");
    },
  },
];
