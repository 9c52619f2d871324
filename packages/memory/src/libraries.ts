import { createRequire } from "node:module";
import type * as Diff from "diff";
import type * as Loro from "loro-crdt";
import type * as Re2 from "re2js";

const load = createRequire(import.meta.url);

/**
 * The libraries that edits of blocks take, each loaded by its first use: together they are a fifth of the time in which
 * a process starts, and most never edit a block.
 */
export const libraries = {
  get diff(): typeof Diff {
    return load("diff") as typeof Diff;
  },
  get loro(): typeof Loro {
    return load("loro-crdt") as typeof Loro;
  },
  get re2(): typeof Re2 {
    return load("re2js") as typeof Re2;
  },
};
