import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** Handles need a moment to go. */
const LOOKS = 40;
const LOOK_AGAIN_MS = 25;

/**
 * What `run` leaves running: timers, sockets and watchers that keep the process alive, and intervals, also unreferenced.
 *
 * Contract: looks again for a second before it says that something is left. Rejects as `run` does.
 */
export async function leftBehind(run: () => Promise<void>): Promise<readonly string[]> {
  const before = process.getActiveResourcesInfo();
  const inside = new AsyncLocalStorage<true>();
  const intervals = new Map<number, NodeJS.Timeout>();
  const hook = createHook({
    init(id, type, _, resource) {
      if (type === "Timeout" && inside.getStore() === true && repeats(resource))
        intervals.set(id, resource as NodeJS.Timeout);
    },
    destroy: (id) => void intervals.delete(id),
  }).enable();
  const look = (): readonly string[] => [
    ...extra(before),
    ...[...intervals.values()].map((one) => (one.hasRef() ? "an interval" : "an unreferenced interval")),
  ];
  try {
    await inside.run(true, run);
    let left = look();
    for (let times = 0; times < LOOKS && left.length > 0; times++) {
      await wait(LOOK_AGAIN_MS);
      left = look();
    }
    return left;
  } finally {
    hook.disable();
  }
}

/** Whether a timer is an interval. Node says so only in a field of the timer itself. */
function repeats(timer: object): boolean {
  return typeof (timer as { readonly _repeat?: unknown })._repeat === "number";
}

/** Resources that keep the process alive now and did not before. */
function extra(before: readonly string[]): readonly string[] {
  const rest = [...before];
  return process.getActiveResourcesInfo().filter((name) => {
    const at = rest.indexOf(name);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}
