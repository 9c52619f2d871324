import type { Resources } from "./resources.ts";

/** Watches resources for as long as somebody wants to hear of them, and no longer. */
export interface UpdateHub {
  /** Hears every update until disposed. */
  listen(listener: (uri: string) => void): Disposable;
}

export function createUpdateHub(resources: Resources | undefined): UpdateHub {
  const listeners = new Set<(uri: string) => void>();
  let watching: Disposable | undefined;
  return {
    listen(listener) {
      const own = (uri: string): void => listener(uri);
      listeners.add(own);
      watching ??= resources?.onUpdate?.((uri) => {
        for (const each of listeners) each(uri);
      });
      return {
        [Symbol.dispose]() {
          listeners.delete(own);
          if (listeners.size > 0) return;
          watching?.[Symbol.dispose]();
          watching = undefined;
        },
      };
    },
  };
}
