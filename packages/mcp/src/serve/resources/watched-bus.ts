import type { ServerEventBus } from "@modelcontextprotocol/server";
import type { UpdateHub } from "./update-hub.ts";

/** `bus`, with updates of resources on it for as long as somebody is subscribed. */
export function watchedBus(bus: ServerEventBus, updates: UpdateHub): ServerEventBus {
  let watching: Disposable | undefined;
  let open = 0;
  return {
    publish: (event) => bus.publish(event),
    subscribe(listener) {
      const unsubscribe = bus.subscribe(listener);
      let ended = false;
      open++;
      watching ??= updates.listen((uri) => bus.publish({ kind: "resource_updated", uri }));
      return () => {
        unsubscribe();
        if (ended) return;
        ended = true;
        open--;
        if (open > 0) return;
        watching?.[Symbol.dispose]();
        watching = undefined;
      };
    },
  };
}
