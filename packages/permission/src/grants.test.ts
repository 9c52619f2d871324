import { mkdir, mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Effect } from "@ikigai/core";
import { type CallFacts, createPolicy } from "@ikigai/core/host";
import { beforeEach, expect, test } from "vitest";
import { grantFile, type Grants, openGrants, whyInert } from "./grants.ts";
import { createJsonFile, type JsonFile } from "./json-file.ts";

const facts: CallFacts = { tool: "t", agent: "a", conversation: "c" };
let path: string;
let file: JsonFile<Parameters<typeof openGrants>[0]["file"] extends JsonFile<infer T> ? T : never>;

beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), "ikigai-grants-")), "deep", "permissions.json");
  file = createJsonFile(path, grantFile, { grants: [] });
});

const open = (root = "/project"): Promise<Grants> =>
  openGrants({ root, file, matchesCommand: (rule, command) => command.startsWith(rule), now: () => new Date(0) });
const covers = (grants: Grants, effect: Effect): boolean => grants.current().some((one) => one.covers(effect, facts));

test("a pattern grants its actions on its addresses and nothing else", async () => {
  const grants = await open();
  await grants.add({
    actions: ["update"],
    pattern: "file:///src/**",
    kind: "address",
    namesTarget: true,
    duration: "session",
  });
  expect(covers(grants, { action: "update", target: "file:///src/a/b.ts" })).toBe(true);
  expect(covers(grants, { action: "update", target: "file:///src/.hidden" })).toBe(true);
  expect(covers(grants, { action: "delete", target: "file:///src/a.ts" })).toBe(false);
  expect(covers(grants, { action: "update", target: "file:///lib/a.ts" })).toBe(false);
  expect(covers(grants, { action: "update", target: "host:///src/a.ts" })).toBe(false);
  expect(covers(grants, { action: "update", target: "make" })).toBe(false);
});

test("approving reads of a mount never approves reads outside it", async () => {
  const grants = await open();
  await grants.add({
    actions: ["read"],
    pattern: "file:///**",
    kind: "address",
    namesTarget: false,
    duration: "session",
  });
  const policy = createPolicy({
    layers: [{ name: "host", judge: () => ({ decision: "ask", needs: "grant", reason: "outside" }) }],
    grants: () => grants.current(),
  });
  expect(await policy.judge({ action: "read", target: "host:///etc/passwd" }, facts)).toMatchObject({
    decision: "ask",
  });
});

test("a grant never opens what a layer denies", async () => {
  const grants = await open();
  await grants.add({
    actions: ["update"],
    pattern: "file:///**",
    kind: "address",
    namesTarget: true,
    duration: "session",
  });
  const policy = createPolicy({
    layers: [{ name: "source", judge: () => ({ decision: "deny", reason: "read only" }) }],
    grants: () => grants.current(),
  });
  expect(await policy.judge({ action: "update", target: "file:///a" }, facts)).toMatchObject({ decision: "deny" });
});

test("commands are matched by the rule that the host brings, and by none without it", async () => {
  const rule = {
    actions: ["execute"],
    pattern: "git status",
    kind: "command",
    namesTarget: true,
    duration: "session",
  } as const;
  const grants = await open();
  await grants.add(rule);
  expect(covers(grants, { action: "execute", target: "git status -s" })).toBe(true);
  expect(covers(grants, { action: "execute", target: "git push" })).toBe(false);
  const blind = await openGrants({ root: "/project", file });
  await blind.add(rule);
  expect(covers(blind, { action: "execute", target: "git status" })).toBe(false);
});

test("session grants end with the session, project grants count in their project, user grants everywhere", async () => {
  const first = await open();
  for (const duration of ["session", "project", "user"] as const) {
    await first.add({
      actions: ["create"],
      pattern: `file:///${duration}/**`,
      kind: "address",
      namesTarget: true,
      duration,
    });
  }
  expect(first.list()).toHaveLength(3);
  expect((await open()).list().map((one) => one.duration)).toEqual(["project", "user"]);
  expect((await open("/elsewhere")).list().map((one) => one.duration)).toEqual(["user"]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a revoked grant is gone, here and on disk", async () => {
  const grants = await open();
  const session = await grants.add({
    actions: ["create"],
    pattern: "a:///**",
    kind: "address",
    namesTarget: true,
    duration: "session",
  });
  const user = await grants.add({
    actions: ["create"],
    pattern: "b:///**",
    kind: "address",
    namesTarget: true,
    duration: "user",
  });
  await grants.revoke(session.id);
  await grants.revoke(user.id);
  expect(grants.list()).toEqual([]);
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ grants: [] });
  await expect(grants.revoke(user.id)).rejects.toMatchObject({ code: "not_found" });
});

test.each(["src/**", ":///x", `file:///{${"a,".repeat(30)}}`])(
  "%s is no pattern and changes nothing",
  async (pattern) => {
    const grants = await open();
    const added = grants.add({ actions: ["read"], pattern, kind: "address", namesTarget: true, duration: "user" });
    await expect(added).rejects.toMatchObject({ code: "invalid_input" });
    expect(grants.list()).toEqual([]);
  },
);

test("a pattern of addresses never grants execution, not even one that was kept before", async () => {
  const command = "cat ikigai:///a.md; touch pwned";
  const old = (id: string, pattern: string, actions: string[]): object => ({
    id,
    actions,
    pattern,
    kind: "address",
    names_target: false,
    duration: "user",
    created_at: "2026-01-01T00:00:00.000Z",
  });
  await mkdir(dirname(path), { recursive: true });
  const kept = [
    old("1", "cat ikigai:///**", ["execute"]),
    old("2", "ikigai:///**", ["execute", "read"]),
    old("3", "no address at all", ["execute"]),
  ];
  await writeFile(path, JSON.stringify({ grants: kept }));
  const grants = await open();
  for (const target of [command, "ikigai:///a.md; touch pwned", "no address at all"]) {
    expect(covers(grants, { action: "execute", target })).toBe(false);
  }
  expect(covers(grants, { action: "read", target: "ikigai:///a.md" })).toBe(true);
  expect(grants.list()).toHaveLength(3);
  expect(grants.list().map((one) => whyInert(one) === undefined)).toEqual([false, false, false]);
  for (const pattern of ["cat ikigai:///**", "ikigai:///**"]) {
    const added = grants.add({
      actions: ["execute"],
      pattern,
      kind: "address",
      namesTarget: true,
      duration: "session",
    });
    await expect(added).rejects.toMatchObject({ code: "invalid_input" });
  }
  const rule = { actions: ["read"], pattern: "cat", kind: "command", namesTarget: true, duration: "session" } as const;
  await expect(grants.add(rule)).rejects.toThrow("a command rule grants execution and nothing else");
});

test("a rule that cannot be read covers nothing, and stops nothing", async () => {
  const grants = await openGrants({
    root: "/project",
    file,
    matchesCommand: () => {
      throw new Error("not a command rule");
    },
  });
  await grants.add({ actions: ["execute"], pattern: "for x", kind: "command", namesTarget: true, duration: "session" });
  expect(covers(grants, { action: "execute", target: "for x in a; do ls; done" })).toBe(false);
});
