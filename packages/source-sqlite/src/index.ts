export { sqliteSource } from "./sqlite-source.ts";
