import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { type AnySourceDefinition, createPolicy, type SourceManager } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { jobEvents } from "../run/job-events.ts";
import { createJobLog } from "../run/job-log.ts";
import { memoryTexts, versionOf } from "../testing/memory-texts.ts";
import { openTestHost, type TestHost } from "../testing/test-host.ts";

const TEXT = "one two three\n";

async function open(
  texts: Map<string, string>,
  options: {
    mounts?: Record<string, AnySourceDefinition>;
    policy?: (sources: SourceManager) => ReturnType<typeof createPolicy>;
  } = {},
): Promise<TestHost> {
  return openTestHost({
    mounts: { ikigai: memoryTexts(texts), ...options.mounts },
    ...(options.policy && { policy: options.policy }),
  });
}

test("a command reads addresses as files", async () => {
  await using host = await open(new Map([["blocks/a b.md", TEXT]]));
  expect(await host.data("bash", { command: "wc -w < 'ikigai:///blocks/a b.md'" })).toEqual({
    output: "3\n",
    exit_code: 0,
  });
  expect(await host.data("bash", { command: "echo $(cat ikigai:///blocks/a\\ b.md)" })).toMatchObject({
    output: "one two three\n",
  });
});

test("output of a command names the address instead of the file that stood for it", async () => {
  await using host = await open(new Map([["a.md", TEXT]]));
  const { output } = await host.data("bash", { command: "wc -w ikigai:///a.md; cat ikigai:///none.md 2>&1" });
  expect(output).toContain("3 ikigai:///a.md\n");
  expect(output).toMatch(/ikigai:\/\/\/none\.md.*No such file/);
});

test("a copy of an address keeps its name", async () => {
  await using host = await open(new Map([["notes/x.md", TEXT]]));
  await host.data("bash", { command: "mkdir src && cp ikigai:///notes/x.md src/" });
  expect(readFileSync(join(host.root, "src/x.md"), "utf8")).toBe(TEXT);
});

test("texts that a command changes, makes and removes are written back to their addresses", async () => {
  const texts = new Map([
    ["a.md", TEXT],
    ["gone.md", TEXT],
    ["same.md", TEXT],
  ]);
  await using host = await open(texts);
  const command =
    "sed -i s/one/1/ ikigai:///a.md && cat ikigai:///same.md > ikigai:///new/b.md && rm ikigai:///gone.md && touch ikigai:///same.md";
  expect(await host.data("bash", { command })).toEqual({
    output: "",
    exit_code: 0,
    addresses: [
      { uri: "ikigai:///a.md", change: "updated", version: versionOf("1 two three\n") },
      { uri: "ikigai:///new/b.md", change: "created", version: versionOf(TEXT) },
      { uri: "ikigai:///gone.md", change: "deleted" },
    ],
  });
  expect([...texts]).toEqual([
    ["a.md", "1 two three\n"],
    ["same.md", TEXT],
    ["new/b.md", TEXT],
  ]);
});

test("different spellings of an address are one file", async () => {
  const texts = new Map([["a.md", TEXT]]);
  await using host = await open(texts);
  await host.data("bash", { command: "echo x >> ikigai:///a.md; echo y >> ikigai:////./a.md" });
  expect(texts.get("a.md")).toBe(`${TEXT}x\ny\n`);
});

test("a change meanwhile is a conflict, and both sides stay", async () => {
  const texts = new Map([["a.md", TEXT]]);
  const changing = { ...memoryTexts(texts) };
  const definition = {
    ...changing,
    open: async (...args: Parameters<typeof changing.open>) => {
      const source = await changing.open(...args);
      return {
        ...source,
        write: async (...write: Parameters<typeof source.write>) => {
          texts.set("a.md", "theirs\n");
          return source.write(...write);
        },
      };
    },
  };
  await using host = await open(texts, { mounts: { busy: definition } });
  const data = await host.data("bash", { command: "echo mine > busy:///a.md" });
  const [aside] = data["addresses"] as { path: string }[];
  expect(aside).toMatchObject({ uri: "busy:///a.md", change: "left_aside", code: "conflict" });
  expect(readFileSync(aside?.path as string, "utf8")).toBe("mine\n");
  expect(texts.get("a.md")).toBe("theirs\n");
});

test("a text that could not be written back outlives the shell, with the error's hint and details", async () => {
  const definition = memoryTexts(new Map());
  const full = {
    ...definition,
    open: async (...args: Parameters<typeof definition.open>) => ({
      ...(await definition.open(...args)),
      write: () =>
        Promise.reject(
          new IkigaiError("over_budget", "95/100 tokens", { hint: "Unpin something.", details: { pinned: ["plan"] } }),
        ),
    }),
  };
  const outputDir = mkdtempSync(join(tmpdir(), "shell-outputs-"));
  try {
    await using host = await openTestHost({ mounts: { full }, jobs: { outputDir } });
    const data = await host.data("bash", { command: "echo mine > full:///blocks/a.md" });
    await host.jobs.close();
    const [aside] = data["addresses"] as { path: string }[];
    expect(aside).toMatchObject({ code: "over_budget", hint: "Unpin something.", details: { pinned: ["plan"] } });
    expect(aside?.path.startsWith(outputDir)).toBe(true);
    expect(readFileSync(aside?.path as string, "utf8")).toBe("mine\n");
    expect(statSync(aside?.path as string).mode & 0o777).toBe(0o600);
  } finally {
    rmSync(outputDir, { recursive: true });
  }
});

test("a change that is not permitted is left aside", async () => {
  const texts = new Map([["a.md", TEXT]]);
  await using host = await open(texts, {
    mounts: { locked: memoryTexts(texts, "read_only") },
    policy: (sources) => createPolicy({ layers: [sources.policyLayer], mode: () => "all" }),
  });
  const data = await host.data("bash", { command: "echo mine > locked:///a.md; rm locked:///a.md" });
  expect(data["addresses"]).toMatchObject([{ uri: "locked:///a.md", change: "left_aside", code: "permission_denied" }]);
  expect((data["addresses"] as object[])[0]).not.toHaveProperty("path");
  expect(texts.get("a.md")).toBe(TEXT);
});

test.each([
  ["a link", "ln -sf /etc/passwd ikigai:///a.md", "is a link"],
  ["a folder", "rm ikigai:///a.md; mkdir ikigai:///a.md", "is not a regular file"],
  ["a pipe", "rm ikigai:///a.md; mkfifo ikigai:///a.md", "is not a regular file"],
  ["no UTF-8", "printf '\\377' > ikigai:///a.md", "is not valid UTF-8"],
  ["a NUL", "printf '\\000' > ikigai:///a.md", "contains a NUL byte"],
  ["too large", "truncate -s 60M ikigai:///a.md", "may be written back"],
])("%s in the place of a text is left aside", async (_, command, error) => {
  const texts = new Map([["a.md", TEXT]]);
  await using host = await open(texts);
  const data = await host.data("bash", { command });
  expect(data["addresses"]).toMatchObject([{ change: "left_aside", code: "invalid_input" }]);
  expect(JSON.stringify(data["addresses"])).toContain(error);
  expect(texts.get("a.md")).toBe(TEXT);
});

test("a source that fails in an unexpected way is left aside without its words", async () => {
  const definition = memoryTexts(new Map());
  const broken = {
    ...definition,
    open: async (...args: Parameters<typeof definition.open>) => ({
      ...(await definition.open(...args)),
      write: () => Promise.reject(new Error("password of the database")),
    }),
  };
  await using host = await open(new Map(), { mounts: { broken } });
  const data = await host.data("bash", { command: "echo x > broken:///a" });
  expect(data["addresses"]).toMatchObject([{ code: "internal", error: "It could not be written back" }]);
});

test("a command that is killed writes nothing back", async () => {
  const texts = new Map([["a.md", TEXT]]);
  await using host = await open(texts);
  const command = "echo half > ikigai:///a.md; cat ikigai:///b.md; sleep 1000";
  expect(await host.call("bash", { command, timeout_ms: 500 })).toMatchObject({
    code: "timeout",
    details: { addresses: [{ uri: "ikigai:///a.md", change: "left_aside", code: "timeout" }] },
  });
  expect(texts.get("a.md")).toBe(TEXT);
});

test("reading an address is one of the effects", async () => {
  await using host = await open(new Map(), {
    policy: () =>
      createPolicy({
        layers: [
          { name: "test", judge: ({ action }) => (action === "read" ? { decision: "deny", reason: "no" } : undefined) },
        ],
      }),
  });
  const answer = await host.call("bash", { command: "cat ikigai:///a.md" });
  expect(JSON.stringify(answer)).toContain("may not read ikigai:///a.md");
});

test("only mounted sources have addresses, and a background job has none", async () => {
  await using host = await open(new Map(), { mounts: { jobs: jobEvents({ log: createJobLog() }) } });
  expect(await host.data("bash", { command: "echo sqlite:///x.db jobs:///x" })).toMatchObject({
    output: "sqlite:///x.db jobs:///x\n",
  });
  expect(await host.call("bash", { command: "cat ikigai:///a", background: true })).toMatchObject({
    code: "unsupported",
  });
});

test("materialised texts go with the host", async () => {
  const host = await open(new Map([["a.md", TEXT]]));
  await host.data("bash", { command: "echo ikigai:///a.md > path" });
  const path = readFileSync(join(host.root, "path"), "utf8").trim();
  expect(existsSync(path)).toBe(true);
  await host[Symbol.asyncDispose]();
  expect(existsSync(path)).toBe(false);
});
