import type { DataBlockDefinition } from "../../source/source.ts";
import { memorySource, type MemorySourceOptions, type MemoryStore } from "../memory-source.ts";
import { KEEPING_MUTANTS } from "./keeping-mutants.ts";
import { LISTING_MUTANTS } from "./listing-mutants.ts";
import type { Mutation } from "./mutation.ts";
import { READING_MUTANTS } from "./reading-mutants.ts";
import { SPELLING_MUTANTS } from "./spelling-mutants.ts";
import { VERSION_MUTANTS } from "./version-mutants.ts";
import { WATCHING_MUTANTS } from "./watching-mutants.ts";
import { WRITING_MUTANTS } from "./writing-mutants.ts";

type Definition = DataBlockDefinition<MemorySourceOptions, "write" | "remove" | "watch" | "history">;

/** Sources that break one promise each. A suite that lets one pass proves too little. */
export const BLOCK_MUTANTS: Readonly<Record<string, Mutation>> = {
  ...READING_MUTANTS,
  ...SPELLING_MUTANTS,
  ...LISTING_MUTANTS,
  ...VERSION_MUTANTS,
  ...WRITING_MUTANTS,
  ...WATCHING_MUTANTS,
  ...KEEPING_MUTANTS,
};

/** The reference source with one mutation. */
export function mutate(mutation: Mutation): Definition {
  return {
    ...memorySource,
    async open(options, host) {
      const good = await memorySource.open(options, host);
      return { ...good, ...mutation(good, options.store as MemoryStore) };
    },
  };
}

/** Definitions that are broken as such. */
export const DEFINITION_MUTANTS: Readonly<Record<string, Definition>> = {
  "speaks another contract": { ...memorySource, contract: 2 as never },
  "claims less than it has": { ...memorySource, capabilities: ["write", "remove"] },
  "accepts any options": {
    ...memorySource,
    options: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as never }) } },
  },
};
