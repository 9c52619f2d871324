import type { SourceManager } from "@ikigai/core/host";

/** Sources that tell when one was mounted or unmounted. */
export interface WatchedSources extends SourceManager {
  onMountsChange(listener: () => void): Disposable;
}

/** Contract: listeners hear of every mount and unmount that goes through what is returned. */
export function watchMounts(sources: SourceManager): WatchedSources {
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    ...sources,
    async mount(request) {
      await sources.mount(request);
      changed();
    },
    async unmount(mount) {
      await sources.unmount(mount);
      changed();
    },
    onMountsChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}
