import assert from "node:assert/strict";
import { IkigaiError } from "../errors.ts";
import { type BlockCase, listedOf, pathsOf, textOf } from "./block-case.ts";
import { rejectsWith } from "./suite.ts";

/** Removing. */
export const removeCases: readonly BlockCase[] = [
  {
    id: "block/remove/absent-rejects",
    needs: ["remove"],
    async run({ open, path }) {
      const source = await open();
      await rejectsWith(source.remove(path("no.md")), "not_found");
      await rejectsWith(source.remove(path("no.md"), { expected: "some version" }), "not_found", "conflict");
    },
  },
  {
    id: "block/remove/forgets",
    needs: ["write", "remove"],
    async run(bench) {
      const { path } = bench;
      const [source, other] = [await bench.open(), await bench.open()];
      await source.write(path("a.md"), "gone soon");
      await source.write(path("a.md.bak"), "stays");
      await source.write(path("b/a.md"), "stays too");
      await source.remove(path("a.md"));
      for (const reader of [source, other]) {
        assert.equal(await reader.read(path("a.md")), undefined);
        assert.deepEqual(await pathsOf(reader, "", bench), listedOf([path("a.md.bak"), path("b/a.md")]));
        assert.equal(await textOf(reader, path("a.md.bak")), "stays");
      }
      await rejectsWith(source.remove(path("a.md")), "not_found");
    },
  },
  {
    id: "block/remove/leaves-what-is-below",
    needs: ["write", "remove"],
    anyPath: true,
    async run(bench) {
      const source = await bench.open();
      const inside = ["b/a.md", "b/c/d.md", "bb.md"];
      for (const path of inside) await source.write(path, `text of ${path}`);
      for (const folder of ["b", "b/c"]) await rejectsWith(source.remove(folder), "not_found", "unsupported");
      const both = await source.write("b", "text at the folder's path").then(
        () => true,
        (error: unknown) => IkigaiError.is(error) && false,
      );
      if (both) await source.remove("b");
      for (const path of inside) assert.equal(await textOf(source, path), `text of ${path}`);
      assert.deepEqual(await pathsOf(source, "", bench), listedOf(inside));
    },
  },
  {
    id: "block/remove/expected-version-is-exact",
    needs: ["write", "remove"],
    async run({ open, path }) {
      const source = await open();
      const old = await source.write(path("a.md"), "old");
      const foreign = await source.write(path("b.md"), "another path");
      const { version } = await source.write(path("a.md"), "here");
      for (const expected of ["", version.slice(0, -1), `${version}0`, old.version, foreign.version]) {
        await rejectsWith(source.remove(path("a.md"), { expected }), "conflict");
      }
      assert.deepEqual(await source.read(path("a.md")), { text: "here", version });
    },
  },
  {
    id: "block/remove/survives-reopen",
    needs: ["write", "remove"],
    async run({ open, path }) {
      const source = await open();
      await source.write(path("a.md"), "gone soon");
      await source.remove(path("a.md"));
      await source.close?.();
      assert.equal(await (await open()).read(path("a.md")), undefined);
    },
  },
  {
    id: "block/remove/expected-version-removes",
    needs: ["write", "remove"],
    async run({ open, path }) {
      const source = await open();
      const { version } = await source.write(path("a.md"), "seen");
      await source.remove(path("a.md"), { expected: version });
      assert.equal(await source.read(path("a.md")), undefined);
    },
  },
  {
    id: "block/remove/stale-version-removes-nothing",
    needs: ["write", "remove"],
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      const { version } = await source.write(path("a.md"), "seen");
      const newer = await other.write(path("a.md"), "not seen");
      await rejectsWith(source.remove(path("a.md"), { expected: version }), "conflict");
      assert.deepEqual(await source.read(path("a.md")), { text: "not seen", version: newer.version });
    },
  },
  {
    id: "block/remove/recreated-block-is-new",
    needs: ["write", "remove"],
    async run({ open, path }) {
      const source = await open();
      const old = await source.write(path("a.md"), "first life");
      await source.remove(path("a.md"));
      await rejectsWith(source.write(path("a.md"), "from the past", { expected: old.version }), "conflict");
      assert.equal(await source.read(path("a.md")), undefined);
      await source.write(path("a.md"), "second life", { expected: null });
      await rejectsWith(source.write(path("a.md"), "from the past", { expected: old.version }), "conflict");
      assert.equal(await textOf(source, path("a.md")), "second life");
    },
  },
  {
    id: "block/remove/aborted-signal-removes-nothing",
    needs: ["write", "remove"],
    async run({ open, path }) {
      const source = await open();
      await source.write(path("a.md"), "stays");
      await assert.rejects(source.remove(path("a.md"), { signal: AbortSignal.abort() }), "it resolved");
      assert.equal(await textOf(source, path("a.md")), "stays");
    },
  },
];
