import type { Line } from "./line.ts";

/** Measures one part of the product beside its peers. `whole`: the others are measured too, so nothing is done twice. */
export type Bench = (quick: boolean, whole: boolean) => Promise<Line[]>;

/** Every part, in the order in which they are measured; loaded when it is its turn. */
export const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  registry: async () => (await import("./registry.ts")).benchRegistry,
  files: async () => (await import("./files.ts")).benchFiles,
  store: async () => (await import("./store.ts")).benchStore,
  search: async () => (await import("./search.ts")).benchSearch,
  recall: async () => (await import("./recall-speed.ts")).benchRecall,
  notes: async () => (await import("./notes.ts")).benchNotes,
  agent: async () => (await import("./agent.ts")).benchAgent,
  mcp: async () => (await import("./mcp.ts")).benchMcp,
};
