import type { DataBlock } from "../../source/source.ts";
import type { MemoryStore } from "../memory-source.ts";

/** The reference source as it is when it is opened. */
export type GoodSource = DataBlock<"write" | "remove" | "watch" | "history">;

/** Breaks one promise of a good source. */
export type Mutation = (good: GoodSource, store: MemoryStore) => Partial<GoodSource>;
