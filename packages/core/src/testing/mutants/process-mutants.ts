/** What is wrong with a source when two processes use it. Each is a mistake that `fixtures/json-file.mjs` can make. */
export const PROCESS_MISTAKES = [
  "locks its own process only",
  "looks before it creates",
  "looks before it removes",
  "keeps what it has read",
  "watches its own process only",
] as const;
