import { type CallFacts, createPolicy, type Grant } from "@ikigai/core";
import { expect, test } from "vitest";
import { createProtectedLayer } from "./protected-layer.ts";

const facts: CallFacts = { tool: "file_write", agent: "a", conversation: "c" };
const everything: Grant = { name: "everything", namesTarget: true, covers: () => true };

test.each([
  "file:///ikigai.config.json",
  "file:///.git/hooks/pre-commit",
  "file:///.git/config",
  "file:///sub/module/.git/config",
  "file:///.GIT/config",
  "file:///.g\u200cit/config",
  "file:///.git /config",
  "host:///home/ann/.bashrc",
  "file:///.env",
  "file:///.env.local",
  "file:///.ikigai/plugins/x.js",
  "file:///.mcp.json",
  "file:///.vscode/tasks.json",
  "file:///.husky",
  "host:///data/ikigai/permissions.json",
])("%s needs a person, whatever mode and grants say", async (target) => {
  const policy = createPolicy({
    layers: [createProtectedLayer({ ownFolders: ["/data/ikigai"] })],
    mode: () => "all",
    grants: () => [everything],
  });
  for (const action of ["create", "update", "delete"] as const) {
    expect(await policy.judge({ action, target }, facts)).toMatchObject({ decision: "ask", needs: "person" });
  }
});

test.each([
  ["reading it", { action: "read", target: "file:///.git/config" }],
  ["an ordinary file", { action: "update", target: "file:///src/git/config.ts" }],
  ["a name that only starts alike", { action: "update", target: "file:///.environment" }],
  ["a neighbour of our folder", { action: "update", target: "host:///data/ikigai2/x" }],
  ["a command", { action: "execute", target: "git config" }],
] as const)("%s is not its concern", async (_, effect) => {
  const layer = createProtectedLayer({ ownFolders: ["/data/ikigai"] });
  expect(await layer.judge(effect, facts)).toBeUndefined();
});

test("a link that leads to a protected place is that place", async () => {
  const layer = createProtectedLayer({ resolve: async () => ["file:///.git/hooks/post-merge"] });
  expect(await layer.judge({ action: "create", target: "file:///innocent/post-merge" }, facts)).toMatchObject({
    needs: "person",
  });
});
