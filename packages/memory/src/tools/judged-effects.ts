import { type Effect, IkigaiError } from "@ikigai/core";

/** The effects of `now` that are not among those that were judged. */
export function effectsBeyond(judged: readonly Effect[], now: readonly Effect[]): readonly Effect[] {
  return now.filter(({ action, target }) => !judged.some((one) => one.action === action && one.target === target));
}

/** Contract: `conflict` that names what the call would do now and what it was judged for, unless that is the same. */
export function assertJudged(tool: string, judged: readonly Effect[], now: readonly Effect[]): void {
  const beyond = effectsBeyond(judged, now);
  if (beyond.length === 0) return;
  throw changedSinceJudged(`${tool} was judged to ${list(judged)}, and would ${list(beyond)} now`);
}

/** The `conflict` that something is no longer what a call was judged for, so that nothing was done. */
export function changedSinceJudged(what: string): IkigaiError {
  return new IkigaiError("conflict", `${what}; nothing was done`, {
    hint: "Look at it again, then make the call once more.",
  });
}

function list(effects: readonly Effect[]): string {
  return effects.map(({ action, target }) => `${action} ${target}`).join(" and ");
}
