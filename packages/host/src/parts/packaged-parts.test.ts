import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { notesPart } from "@ikigai/notes/part";
import { recallPart } from "@ikigai/recall/part";
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
  storeTables: {
    add: () => {},
    open: () => Promise.reject(new Error("nothing opens a store")),
    exists: async () => false,
    whenOpened: new Promise<never>(() => {}),
  },
  ownedTexts: {
    async *assets() {},
    async *blocks() {},
    conversations: { list: async () => [], messages: async () => [] },
  },
});

describe("the part of the shell", () => {
  testPart({
    test,
    part: shellPart,
    comesWithIkigai: true,
    services,
    texts: { "a.md": "hello" },
    calls: [{ name: "glob", arguments: { pattern: "*.md" } }],
  });
});

describe("the part of notes", () => {
  testPart({
    test,
    part: notesPart,
    comesWithIkigai: true,
    options: () => ({ exclude: ["other"] }),
    badOptions: { options: { exclude: [""] }, key: "exclude.0" },
    texts: { "Home.md": "[[Garage]] #car", "Garage.md": "The car." },
    calls: [
      { name: "read_note", arguments: { name: "Garage" } },
      { name: "search_by_tags", arguments: { tags: ["car"] } },
      { name: "update_note", arguments: { name: "Home", mode: "append", content: "more" } },
    ],
  });
});

describe("the part of recall", () => {
  const embedder = { use: "endpoint", base_url: "http://127.0.0.1:1/v1", model: "m", dimensions: 2 };
  testPart({
    test,
    part: recallPart,
    comesWithIkigai: true,
    services,
    options: () => ({ languages: ["german"], embedder }),
    badOptions: { options: { embedder: { ...embedder, dimensions: 0 } }, key: "embedder.dimensions" },
    calls: [{ name: "recall", arguments: { op: "search", query: "winter" } }],
  });
});

test("every package that says it brings a part is loaded, and brings the tools that its manifest names", async () => {
  const parts = await packagedParts({ notes: { exclude: ["old"] } });
  const named = OWN_PACKAGES.filter(({ load }) => load !== undefined);
  expect(parts.map(({ part }) => part.name)).toEqual(named.map(({ feature }) => feature));
  expect(parts.find(({ part }) => part.name === "notes")?.options).toEqual({ exclude: ["old"] });
  for (const { part } of parts) {
    const opened = await part.open({}, {
      agent: "default",
      sources: {},
      seen: {},
      shorten: (tool: unknown) => tool,
      onTextChange: () => ({}),
      services: services(),
      warn: () => {},
    } as never);
    const manifest = named.find(({ feature }) => feature === part.name);
    expect(opened.tools?.map(({ name }) => name).toSorted(), part.name).toEqual(manifest?.tools.toSorted());
    await opened.close?.();
  }
});

test("the list of our own packages is what their manifests say", async () => {
  const script = fileURLToPath(new URL("../../../../tools/make-own-packages.mjs", import.meta.url));
  await expect(promisify(execFile)(process.execPath, [script, "--check"])).resolves.toMatchObject({ stderr: "" });
});
