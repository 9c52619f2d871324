import assert from "node:assert/strict";
import { IkigaiError, messageOf } from "../errors.ts";
import { type BlockCase, listedOf, pathsOf, textOf } from "./block-case.ts";

const OTHER_SHAPES = ["no/such/shape.md", "__proto__", "a b.md", "-1", "x", ".hidden"];

/** What a source promises that takes only paths of a certain shape. */
export const shapeCases: readonly BlockCase[] = [
  {
    id: "block/paths/all-are-taken",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      const paths = Array.from({ length: 25 }, (_, n) => bench.path(`${n}`));
      assert.equal(new Set(paths).size, paths.length, "paths(index) gives a different path for each index");
      for (const path of paths.toReversed()) await source.write(path, `text of ${path}`, { expected: null });
      for (const path of paths) assert.equal(await textOf(source, path), `text of ${path}`);
      assert.deepEqual(await pathsOf(source, "", bench), listedOf(paths));
    },
  },
  {
    id: "block/paths/other-shapes-are-refused",
    needs: ["write"],
    async run(bench) {
      const source = await bench.open();
      const path = bench.path("a");
      await source.write(path, "stays");
      let taken = 0;
      for (const other of OTHER_SHAPES) {
        const refused = await source.write(other, "of another shape").then(
          () => undefined,
          (error: unknown) => error,
        );
        const known = IkigaiError.is(refused, "invalid_input") || IkigaiError.is(refused, "unsupported");
        if (refused !== undefined && !known)
          assert.fail(`wanted invalid_input or unsupported, got ${messageOf(refused)}`);
        if (refused === undefined) taken++;
        assert.equal(await textOf(source, other), refused === undefined ? "of another shape" : undefined);
      }
      assert.ok(taken < OTHER_SHAPES.length, "it takes every path, so it needs no paths(index)");
      assert.equal(await textOf(source, path), "stays");
    },
  },
];
