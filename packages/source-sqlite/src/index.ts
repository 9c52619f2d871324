export { sqliteSource } from "./sqlite-source.ts";
export type { SqliteSourceOptions } from "./options.ts";
