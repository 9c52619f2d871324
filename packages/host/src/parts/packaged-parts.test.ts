import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { shellPart } from "@ikigai/shell/part";
import { describe, expect, test } from "vitest";
import { testPart } from "../testing/test-part.ts";
import { OWN_PACKAGES } from "./own-packages.ts";
import { packagedParts } from "./packaged-parts.ts";

const services = () => ({
  folder: realpathSync(tmpdir()),
  ownFiles: { isOwn: () => false, folders: () => [] },
  outputFolders: { folderOf: (agent: string) => `${tmpdir()}/ikigai-outputs-${agent}` },
  logs: { append: async () => {} },
});

describe("the part of the shell", () => {
  testPart({
    test,
    part: shellPart,
    services,
    texts: { "a.md": "hello" },
    calls: [{ name: "glob", arguments: { pattern: "*.md" } }],
  });
});

test("every package that says it brings a part is loaded, and brings the tools that its manifest names", async () => {
  const parts = await packagedParts();
  const named = OWN_PACKAGES.filter(({ load }) => load !== undefined);
  expect(parts.map(({ part }) => part.name)).toEqual(named.map(({ feature }) => feature));
  const opened = await shellPart.open({}, {
    sources: {},
    shorten: (tool: unknown) => tool,
    services: services(),
    warn: () => {},
  } as never);
  expect(opened.tools?.map(({ name }) => name)).toEqual(named.find(({ feature }) => feature === "shell")?.tools);
  await opened.close?.();
});

test("the list of our own packages is what their manifests say", async () => {
  const script = fileURLToPath(new URL("../../../../tools/make-own-packages.mjs", import.meta.url));
  await expect(promisify(execFile)(process.execPath, [script, "--check"])).resolves.toMatchObject({ stderr: "" });
});
