import type { Action } from "@ikigai/core";
import { type CallFacts, createPolicy, type Grant } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { createProtectedLayer, type OwnKind } from "./protected-layer.ts";

const facts: CallFacts = { tool: "file_write", agent: "a", conversation: "c" };
const everything: Grant = { name: "everything", namesTarget: true, covers: () => true };
const CHANGES = ["create", "append", "update", "delete"] as const;

function ownKind(local: string): OwnKind | undefined {
  if (local.startsWith("/data/ikigai/outputs/")) return "output";
  if (local.startsWith("/data/ikigai/")) return "secret";
  return local.startsWith("/conf/ikigai/") ? "configuration" : undefined;
}

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
  // What shells, sessions, services and git read when they start.
  "file:///.config/fish/conf.d/a.fish",
  "file:///dotfiles/fish/conf.d/a.fish",
  "file:///.bashrc.d/a.sh",
  "file:///.config/systemd/user/a.service",
  "file:///.local/share/systemd/user/a.service",
  "file:///.config/autostart/a.desktop",
  "file:///.config/environment.d/a.conf",
  "file:///.config/git/config",
  "file:///.CONFIG/Git/hooks/a",
  "file:///.xprofile",
  "file:///authorized_keys",
  "file:///.local/bin/ls",
  // What editors, other agents, containers and tools obey where they are opened or started.
  "file:///.gemini/settings.json",
  "file:///opencode.json",
  "file:///.opencode/plugin/a.js",
  "file:///.kiro/settings/mcp.json",
  "file:///.devcontainer/devcontainer.json",
  "file:///team.code-workspace",
  "file:///.nvim.lua",
  "file:///.config/nvim/init.lua",
  "file:///.dir-locals.el",
  "file:///mise.toml",
  "file:///lefthook.yml",
  "file:///.pre-commit-config.yaml",
  "file:///.Rprofile",
  "file:///.curlrc",
  "file:///.docker/config.json",
  "file:///.aws/config",
  "file:///.g\ufe00it/config",
  "file:///.g\u{e0041}it/config",
])("%s needs a person, whatever mode and grants say", async (target) => {
  const policy = createPolicy({
    layers: [createProtectedLayer({ ownKind })],
    mode: () => "all",
    grants: () => [everything],
  });
  for (const action of CHANGES) {
    expect(await policy.judge({ action, target }, facts)).toMatchObject({ decision: "ask", needs: "person" });
  }
});

test.each([
  ["reading it", { action: "read", target: "file:///.git/config" }],
  ["an ordinary file", { action: "update", target: "file:///src/git/config.ts" }],
  ["a name that only starts alike", { action: "update", target: "file:///.environment" }],
  ["a neighbour of our folder", { action: "update", target: "host:///data/ikigai2/x" }],
  ["a service of a project", { action: "update", target: "file:///deploy/systemd/app.service" }],
  ["a command", { action: "execute", target: "git config" }],
] as const)("%s is not its concern", async (_, effect) => {
  expect(await createProtectedLayer({ ownKind }).judge(effect, facts)).toBeUndefined();
});

test.each<[string, string, Action, object | undefined]>([
  ["file:///store/permissions.json", "/data/ikigai/permissions.json", "update", { decision: "deny" }],
  ["file:///store/permissions.json", "/data/ikigai/permissions.json", "read", { decision: "deny" }],
  ["host:///data/ikigai/trust.json", "", "read", { decision: "deny" }],
  ["file:///c/ikigai.config.json", "/conf/ikigai/ikigai.config.json", "read", { decision: "ask", needs: "person" }],
  ["file:///c/plugin.js", "/conf/ikigai/plugin.js", "update", { decision: "ask", needs: "person" }],
  ["file:///store/outputs/a.txt", "/data/ikigai/outputs/a.txt", "read", { decision: "deny" }],
  ["output:///a.txt", "/data/ikigai/outputs/a.txt", "update", { decision: "deny" }],
  ["output:///a.txt", "/data/ikigai/outputs/a.txt", "read", undefined],
  ["host:///data/ikigai/outputs/a.txt", "", "read", undefined],
])("of our own, %s at %j: %s", (target, local, action, expected) => {
  const effect = { action, target, ...(local !== "" && { local }) };
  const opinion = createProtectedLayer({ ownKind }).judge(effect, facts);
  if (expected === undefined) expect(opinion).toBeUndefined();
  else expect(opinion).toMatchObject(expected);
});

test("a link that leads to a protected place is that place", async () => {
  const policy = createPolicy({
    layers: [createProtectedLayer()],
    mode: () => "all",
    follow: ({ action }) => ({ final: { action, target: "file:///.git/hooks/post-merge" } }),
  });
  const verdict = await policy.judge({ action: "create", target: "file:///innocent/post-merge" }, facts);
  expect(verdict).toMatchObject({ decision: "ask", needs: "person" });
});

test("a start-up folder is protected in a mount that begins above it, and a mount inside it stays usable", async () => {
  const layer = createProtectedLayer();
  const judge = (target: string, local: string): unknown => layer.judge({ action: "create", target, local }, facts);
  expect(judge("file:///autostart/a.desktop", "/home/ann/.config/autostart/a.desktop")).toMatchObject({
    needs: "person",
  });
  expect(judge("file:///user/a.service", "/home/ann/.config/systemd/user/a.service")).toBeUndefined();
});

test("a file that something trusted obeys needs a person to be changed, and none to be read", () => {
  const layer = createProtectedLayer({
    whyObeyed: (local) => (local === "/project/check.sh" ? "a hook runs it" : undefined),
  });
  const effect = { target: "file:///check.sh", local: "/project/check.sh" };
  expect(layer.judge({ action: "update", ...effect }, facts)).toMatchObject({
    needs: "person",
    reason: "a hook runs it, and what runs was trusted as it is",
  });
  expect(layer.judge({ action: "read", ...effect }, facts)).toBeUndefined();
});
