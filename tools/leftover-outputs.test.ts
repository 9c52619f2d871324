import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeLeftovers } from "./leftover-outputs.mjs";

test("outputs of files that are gone are removed, all others and what no compiler makes stay", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ikigai-leftover-"));
  try {
    for (const place of ["src/part", "dist/part"]) await mkdir(join(folder, place), { recursive: true });
    await writeFile(join(folder, "src/part/kept.ts"), "");
    for (const name of ["kept", "renamed"])
      for (const end of ["js", "js.map", "d.ts", "d.ts.map"])
        await writeFile(join(folder, `dist/part/${name}.${end}`), "");
    await writeFile(join(folder, "dist/part/table.json"), "{}");
    removeLeftovers(folder);
    expect((await readdir(join(folder, "dist/part"))).toSorted()).toEqual([
      "kept.d.ts",
      "kept.d.ts.map",
      "kept.js",
      "kept.js.map",
      "table.json",
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
