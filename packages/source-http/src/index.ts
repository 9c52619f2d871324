export { httpSource } from "./http-source.ts";
export type { HttpSourceOptions } from "./options.ts";
