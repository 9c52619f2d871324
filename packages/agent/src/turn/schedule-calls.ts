import type { Effect } from "@ikigai/core";

/** A call with what it will touch, or `undefined` when that is not known. */
export interface PlannedCall<C> {
  readonly call: C;
  readonly effects: readonly Effect[] | undefined;
}

/**
 * Groups calls into batches that may run at once, in the order in which they were made.
 *
 * Contract: every call is in exactly one batch; calls that collide are in different batches and keep their order.
 * A call whose effects are unknown, or that runs a command, collides with everything.
 */
export function batchCalls<C>(planned: readonly PlannedCall<C>[]): C[][] {
  const batches: PlannedCall<C>[][] = [];
  for (const next of planned) {
    const current = batches.at(-1);
    if (current === undefined || current.some((other) => collide(other.effects, next.effects))) batches.push([next]);
    else current.push(next);
  }
  return batches.map((batch) => batch.map(({ call }) => call));
}

function collide(left: readonly Effect[] | undefined, right: readonly Effect[] | undefined): boolean {
  if (left === undefined || right === undefined) return true;
  if ([...left, ...right].some(({ action }) => action === "execute" || action === "admin")) return true;
  return left.some((one) =>
    right.some((other) => !(isRead(one) && isRead(other)) && overlap(one.target, other.target)),
  );
}

/** Whether an effect changes nothing. */
export function isRead({ action }: Effect): boolean {
  return action === "read" || action === "network";
}

/** The same place, or one inside the other. */
function overlap(left: string, right: string): boolean {
  return (
    left === right || left.startsWith(`${right.replace(/\/$/, "")}/`) || right.startsWith(`${left.replace(/\/$/, "")}/`)
  );
}
