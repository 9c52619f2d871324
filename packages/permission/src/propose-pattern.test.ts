import { expect, test } from "vitest";
import { mountPattern, proposePattern } from "./propose-pattern.ts";

test.each([
  ["update", "file:///src/db/a.ts", "file:///src/db/**", "address"],
  ["create", "file:///a.ts", "file:///*", "address"],
  ["update", "file:///a[b]{c}/x", "file:///a\\[b\\]\\{c\\}/**", "address"],
  ["execute", "git status --short", "git status", "command"],
  ["execute", "npm run build", "npm run", "command"],
  ["execute", "make", "make", "command"],
  ["execute", "ls -la", "ls", "command"],
] as const)("%s %s proposes %s", (action, target, pattern, kind) => {
  expect(proposePattern({ action, target })).toEqual({ pattern, kind });
});

test("a command without literal words gets no proposed pattern", () => {
  expect(proposePattern({ action: "execute", target: "$(x) y" })).toBeUndefined();
  expect(proposePattern({ action: "network", target: "example.org" })).toBeUndefined();
  expect(mountPattern({ action: "network", target: "example.org" })).toBeUndefined();
});

test("the pattern of an always answer covers the mount of the effect and no other", () => {
  expect(mountPattern({ action: "update", target: "file:///src/a.ts" })).toBe("file:///**");
});

test("a command that names an address has no mount to be allowed in", () => {
  for (const target of ["cat ikigai:///a.md", "ikigai:///a.md; rm b", "A=1 ikigai:///x"]) {
    expect(mountPattern({ action: "execute", target })).toBeUndefined();
  }
  expect(mountPattern({ action: "read", target: "cat ikigai:///a.md" })).toBeUndefined();
  expect(proposePattern({ action: "read", target: "cat ikigai:///a.md" })).toBeUndefined();
});
