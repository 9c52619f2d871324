import type * as Loro from "loro-crdt/base64";
import type * as Re2 from "re2js";

interface Libraries {
  readonly loro: typeof Loro;
  readonly re2: typeof Re2;
}

let loaded: Libraries | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads what documents of blocks are made with. A process that never opens one does not wait for it, and a bundler finds
 * it: the module of Loro carries its WebAssembly itself.
 */
export function loadLibraries(): Promise<void> {
  loading ??= Promise.all([import("loro-crdt/base64"), import("re2js")]).then(([loro, re2]) => {
    loaded = { loro, re2 };
  });
  return loading;
}

/** Contract: {@link loadLibraries} was awaited before. */
export const libraries = {
  get loro(): typeof Loro {
    return (loaded as Libraries).loro;
  },
  get re2(): typeof Re2 {
    return (loaded as Libraries).re2;
  },
};
