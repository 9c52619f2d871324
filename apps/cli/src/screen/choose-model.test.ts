import type { Effect } from "@ikigai/core";
import { expect, test } from "vitest";
import { agentLayer } from "@ikigai/host/policy";
import { statusLine } from "./chat-status.ts";
import { chooseModel, createOwnChanges, findAgent, withKey } from "@ikigai/host/agent";

test("the first place that names a model counts, and a server only for its own provider", () => {
  const config = { model: "ollama/llama3", base_url: "http://ollama" };
  expect(chooseModel([{}, config])).toEqual({ model: "ollama/llama3", baseUrl: "http://ollama" });
  expect(chooseModel([{ model: "anthropic/x" }, config])).toEqual({ model: "anthropic/x" });
  expect(chooseModel([{ model: "ollama/other" }, config])).toEqual({ model: "ollama/other", baseUrl: "http://ollama" });
  expect(chooseModel([{ base_url: "http://flag" }, { model: "x/y" }])).toEqual({
    model: "x/y",
    baseUrl: "http://flag",
  });
  expect(chooseModel([{}, {}])).toBeUndefined();
});

test("a key of the environment comes before a kept one, and an empty one is none", async () => {
  const kept = async (provider: string): Promise<string | undefined> => (provider === "openai" ? "kept" : undefined);
  expect(await withKey({ model: "openai/x" }, { OPENAI_API_KEY: "env" }, kept)).toMatchObject({ apiKey: "env" });
  expect(await withKey({ model: "openai/x" }, { OPENAI_API_KEY: "" }, kept)).toMatchObject({ apiKey: "kept" });
  expect(await withKey({ model: "local/x" }, {}, kept)).toEqual({ model: "local/x" });
});

test("an agent's consent asks a person, its first ceiling counts, and others are free", async () => {
  const layer = agentLayer([
    {
      name: "shy",
      rules: { requires_consent: ["bash", "file_edit"] },
      permissions: [
        { glob: "file:///docs/**", permission: "read_write" },
        { glob: "file:///**", permission: "read_only" },
      ],
    },
  ]);
  const judge = (agent: string, tool: string, target: string) =>
    layer.judge({ action: "update", target }, { agent, tool, conversation: "c" });
  expect(judge("shy", "bash", "ls")).toMatchObject({ decision: "ask", needs: "person" });
  expect(judge("shy", "file_write", "file:///docs/a.md")).toMatchObject({ decision: "allow" });
  expect(judge("shy", "file_write", "file:///.env")).toMatchObject({ decision: "deny" });
  expect(judge("shy", "file_write", "ikigai:///a")).toBeUndefined();
  expect(judge("bold", "bash", "ls")).toBeUndefined();
  expect(judge("shy", "file_edit", "file:///docs/a.md")).toMatchObject({ decision: "ask", needs: "person" });
  expect(judge("shy", "file_edit", "file:///.env")).toMatchObject({ decision: "deny" });
  const judgeCall = (agent: string) => layer.judgeCall?.({ agent, tool: "bash", conversation: "c" });
  expect(judgeCall("shy")).toMatchObject({ decision: "ask", needs: "person" });
  expect(judgeCall("bold")).toBeUndefined();
  expect(findAgent([{ name: "shy" }], "default")).toEqual({ name: "default" });
});

test("the status line counts what there is", () => {
  const source = (mount: string, kind: "block" | "stream", more: object = {}) => ({
    mount,
    name: mount,
    kind,
    capabilities: [],
    tools: [],
    state: "mounted" as const,
    permission: "admin" as const,
    ...more,
  });
  const sources = [source("file", "block"), source("news", "stream", { state: "paused", error: "gone" })];
  expect(statusLine({ model: undefined, approve: "edits", budget: undefined, manifest: undefined, sources })).toBe(
    "no model (/model provider/model) · edits · pinned 0 · context 0 · 1 source · 1 stream (1 paused) · 1 failed",
  );
  const manifest = { entries: [], tokens: 12_345, limit: 150_000 };
  const budget = { used: 1_234, limit: 100_000 };
  const spent = { input: 45_678, output: 901 };
  expect(statusLine({ model: "a/b", approve: "ask", spent, budget, manifest, sources: [] })).toBe(
    "a/b · ask · pinned 1.2k/100k · context 12k/150k · used 46k+901 · 0 sources · 0 streams",
  );
});

test("what the agent just wrote is its own change for a moment, what it read or failed to write never is", () => {
  let now = 1_000;
  const sources = { route: (uri: string) => ({ uri }) };
  const own = createOwnChanges(sources as never, () => now);
  const notice = (uri: unknown, at: number) => ({
    mount: "c",
    event: { cursor: "1", at: new Date(at), text: "", data: { uri } },
  });
  const call = (id: string, name: string) => ({ id, name, arguments: "{}" });
  const effects = (action: Effect["action"], target: string): Effect[] => [
    { action, target },
    { action: "update", target: "pin" },
  ];
  const calls = [
    [call("1", "file_write"), effects("update", "file:///a.md"), true],
    [call("2", "bash"), [{ action: "execute", target: "make" }], true],
    [call("3", "file_read"), effects("read", "file:///read.md"), true],
    [call("4", "file_write"), effects("update", "file:///refused.md"), false],
  ] as const;
  for (const [one, permitted] of calls) own.begin(one, permitted);
  own.begin(call("1", "file_write"), effects("create", "file:///later.md"));
  for (const [one, , succeeded] of calls) own.end(one, succeeded);
  now = 9_000;
  expect(own.includes(notice("file:///a.md", 2_000))).toBe(true);
  expect(own.includes(notice("file:///later.md", 2_000))).toBe(true);
  expect(own.includes(notice("file:///a.md", 5_000))).toBe(false);
  for (const name of ["b", "read", "refused"]) expect(own.includes(notice(`file:///${name}.md`, 2_000))).toBe(false);
  expect(own.includes({ mount: "c", event: { cursor: "1", at: new Date(), text: "" } })).toBe(false);
});
