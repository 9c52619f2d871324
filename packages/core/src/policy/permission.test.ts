import { expect, test } from "vitest";
import {
  isAtLeast,
  isMemoryPermission,
  lowerPermission,
  type MemoryPermission,
  PERMISSION_ORDER,
  permissionOpinion,
} from "./permission.ts";
import type { Action } from "./policy.ts";

const ACTIONS: readonly Action[] = ["read", "create", "append", "update", "delete"];

test.each([
  ["read_only", "allow deny deny deny deny"],
  ["partner", "allow ask ask ask ask"],
  ["human", "allow ask ask ask ask"],
  ["append", "allow allow allow deny deny"],
  ["read_write", "allow allow allow allow ask"],
  ["admin", "allow allow allow allow allow"],
] as const)("%s: read, create, append, update, delete are %s", (permission, decisions) => {
  const said = ACTIONS.map((action) => permissionOpinion(permission, action, "x").decision);
  expect(said.join(" ")).toBe(decisions);
});

test("human and partner ask that person and nobody else", () => {
  for (const person of ["human", "partner"] as const) {
    expect(permissionOpinion(person, "update", "x")).toMatchObject({ decision: "ask", needs: "person", person });
  }
  expect(permissionOpinion("read_write", "delete", "x")).not.toHaveProperty("person");
});

test("a refusal names the place, its permission and the action", () => {
  const { reason } = permissionOpinion("read_only", "update", "notes:///a.md");
  expect(reason).toBe("notes:///a.md is read_only, which does not allow update");
});

test("a permission is one of six names", () => {
  const names: MemoryPermission[] = ["read_only", "partner", "human", "append", "read_write", "admin"];
  for (const name of names) expect(isMemoryPermission(name)).toBe(true);
  for (const other of ["owner", "toString", "", 3, null]) expect(isMemoryPermission(other)).toBe(false);
});

test("permissions have one order, from closed to open, and the less open of two counts", () => {
  for (const [at, one] of PERMISSION_ORDER.entries()) {
    for (const [index, other] of PERMISSION_ORDER.entries()) {
      expect(isAtLeast(one, other)).toBe(at >= index);
      expect(lowerPermission(one, other)).toBe(PERMISSION_ORDER[Math.min(at, index)]);
    }
  }
});
