import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namedType } from "./file-ops.ts";

test("an entry that a runtime gives as a bare name has the type of what lies there", () => {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-ops-"));
  try {
    writeFileSync(join(folder, "file"), "");
    mkdirSync(join(folder, "folder"));
    symlinkSync("file", join(folder, "link"));
    const typeOf = (name: string) => namedType(Buffer.from(name), folder).type;
    expect(typeOf("file")?.isFile()).toBe(true);
    expect(typeOf("folder")?.isDirectory()).toBe(true);
    expect(typeOf("link")?.isSymbolicLink()).toBe(true);
    expect(typeOf("gone")).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
