import type { Envelope } from "@ikigai/core";
import type { ToolCatalog, ToolRegistry } from "@ikigai/core/host";
import type { Complete, Prompts, Resources } from "@ikigai/mcp";

/** Registry, resources and prompts that are served out of one workspace. */
export interface Served {
  readonly registry: Pick<ToolRegistry, "snapshot" | "onChange">;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly complete: Complete;
  /** Resolves when the lists are as complete as they get soon. Never rejects. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** What is served of a workspace that may be exchanged for another while clients are connected. */
export interface SwitchableWorkspace extends Served {
  /** Serves another workspace. Contract: calls that begin meanwhile wait; those that run end where they began. */
  move(open: () => Promise<Served>): Promise<void>;
}

interface Stay {
  readonly served: Served;
  readonly running: Set<Promise<unknown>>;
}

export function createSwitchableWorkspace(first: Served): SwitchableWorkspace {
  let stay: Stay = { served: first, running: new Set() };
  let moving: Promise<void> = Promise.resolve();
  const leaving = new Set<Promise<void>>();
  const subscriptions = createSubscriptions(() => stay.served);
  const { follow } = subscriptions;

  async function here<T>(work: (served: Served) => Promise<T>): Promise<T> {
    await moving;
    const { served, running } = stay;
    const done = work(served);
    running.add(done);
    try {
      return await done;
    } finally {
      running.delete(done);
    }
  }

  return {
    registry: {
      snapshot: (options) => catalogOf(stay.served, options, here),
      onChange: (listener) =>
        follow(
          ({ registry }) => registry.onChange(listener),
          () => listener({ added: [], removed: [] }),
        ),
    },
    resources: {
      list: (cursor, options) => here(({ resources }) => resources.list(cursor, options)),
      templates: () => stay.served.resources.templates?.() ?? [],
      read: (uri, options) => here(({ resources }) => resources.read(uri, options)),
      onUpdate: (listener) => follow(({ resources }) => resources.onUpdate?.(listener)),
      onListChange: (listener) => follow(({ resources }) => resources.onListChange?.(listener), listener),
    },
    prompts: {
      list: (options) => here(({ prompts }) => prompts.list(options)),
      get: (name, values, options) => here(({ prompts }) => prompts.get(name, values, options)),
      onChange: (listener) => follow(({ prompts }) => prompts.onChange?.(listener)),
    },
    // `ready` does not count as a running call: a list that waits must not keep a workspace open.
    async ready() {
      await moving;
      await stay.served.ready();
    },
    complete: (request, options) => here(({ complete }) => complete(request, options)),
    move(open) {
      const moved = moving.then(async () => {
        const before = stay;
        stay = { served: await open(), running: new Set() };
        subscriptions.renew();
        const left = leave(before);
        leaving.add(left);
        void left.finally(() => leaving.delete(left)).catch(() => {});
      });
      moving = moved.catch(() => {});
      return moved;
    },
    async close() {
      await moving;
      await Promise.allSettled(leaving);
      await stay.served.close();
    },
  };
}

async function leave({ served, running }: Stay): Promise<void> {
  await Promise.allSettled(running);
  await served.close();
}

/** Subscriptions that move with the workspace. */
interface Subscriptions {
  /** Listens where things are now, and hears of every move. */
  follow(subscribe: (served: Served) => Disposable | undefined, moved?: () => void): Disposable;
  /** Listens where things are from now on. */
  renew(): void;
}

function createSubscriptions(present: () => Served): Subscriptions {
  const subscriptions = new Set<{ renew(): void }>();
  return {
    follow(subscribe, moved) {
      let current = subscribe(present());
      const subscription = {
        renew() {
          current?.[Symbol.dispose]();
          current = subscribe(present());
          moved?.();
        },
      };
      subscriptions.add(subscription);
      return {
        [Symbol.dispose]() {
          subscriptions.delete(subscription);
          current?.[Symbol.dispose]();
        },
      };
    },
    renew() {
      for (const { renew } of subscriptions) renew();
    },
  };
}

/**
 * The catalog of a workspace, whose calls run in the workspace that is served when they begin.
 *
 * Contract: a call of a tool that differs there answers `unavailable`.
 */
function catalogOf(
  origin: Served,
  options: Parameters<ToolRegistry["snapshot"]>[0],
  here: <T>(work: (served: Served) => Promise<T>) => Promise<T>,
): ToolCatalog {
  const catalog = origin.registry.snapshot(options);
  // A catalog is made for every request over HTTP, and its cards are compared only after a move.
  const cardOf = ({ cards }: ToolCatalog, name: string): string | undefined =>
    JSON.stringify(cards.find((one) => one.name === name));
  const present = (served: Served, name: string): ToolCatalog | undefined => {
    if (served === origin) return catalog;
    const other = served.registry.snapshot(options);
    return cardOf(catalog, name) === cardOf(other, name) ? other : undefined;
  };
  return {
    cards: catalog.cards,
    call: (call, callOptions) =>
      here(async (served) => (await present(served, call.name)?.call(call, callOptions)) ?? changed(call.name)),
    plan: (call, callOptions) =>
      here((served) => (present(served, call.name) ?? served.registry.snapshot(options)).plan(call, callOptions)),
  };
}

function changed(name: string): Envelope {
  return {
    success: false,
    error: `${name} changed with the workspace. List the tools again.`,
    code: "unavailable",
  };
}
