import type { Action, Opinion } from "./policy.ts";

/** How far a piece of text is open to change, from closed to open. `partner` and `human` ask that person. */
export const PERMISSION_ORDER = ["read_only", "partner", "human", "append", "read_write", "admin"] as const;

export type MemoryPermission = (typeof PERMISSION_ORDER)[number];

const LEVEL: Readonly<Record<MemoryPermission, number>> = {
  read_only: 0,
  partner: 1,
  human: 1,
  append: 2,
  read_write: 3,
  admin: 4,
};

const NEEDED: Readonly<Record<Action, number>> = {
  read: 0,
  append: LEVEL.append,
  create: LEVEL.append,
  update: LEVEL.read_write,
  delete: LEVEL.admin,
  execute: LEVEL.admin,
  network: 0,
  admin: LEVEL.admin,
};

/** Whether `value` names a permission. */
export function isMemoryPermission(value: unknown): value is MemoryPermission {
  return typeof value === "string" && Object.hasOwn(LEVEL, value);
}

/** The less open of two permissions. */
export function lowerPermission(one: MemoryPermission, other: MemoryPermission): MemoryPermission {
  return isAtLeast(other, one) ? one : other;
}

/** Whether `permission` is as open as `needed`, or more. */
export function isAtLeast(permission: MemoryPermission, needed: MemoryPermission): boolean {
  return PERMISSION_ORDER.indexOf(permission) >= PERMISSION_ORDER.indexOf(needed);
}

/**
 * What `permission` says of `action`: reading is always possible, appending and creating need `append`, overwriting
 * needs `read_write`, and deleting needs `admin` or asks. Below that, `human` and `partner` ask that person.
 */
export function permissionOpinion(permission: MemoryPermission, action: Action, origin: string): Opinion {
  const reason = `${origin} is ${permission}`;
  const level = LEVEL[permission];
  if (level >= NEEDED[action]) return { decision: "allow", reason };
  if (level === LEVEL.human) return { decision: "ask", needs: "person", person: permission, reason };
  if (action === "delete" && level >= LEVEL.read_write) return { decision: "ask", reason };
  return { decision: "deny", reason: `${reason}, which does not allow ${action}` };
}
