import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { guardHost } from "./guard-host.ts";

test("a guard cleans up when the pipe to its host ends or breaks", async () => {
  for (const end of ["end", "destroy"] as const) {
    const folder = mkdtempSync(join(tmpdir(), "guard-"));
    const alive = new PassThrough();
    const guarded = guardHost(alive, "a marker that nobody carries", folder);
    alive.write("still here");
    if (end === "end") alive.end();
    else alive.destroy(new Error("broken"));
    await guarded;
    expect(existsSync(folder)).toBe(false);
  }
});
