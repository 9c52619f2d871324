export { gitSource } from "./git-source.ts";
export type { GitSourceOptions } from "./options.ts";
