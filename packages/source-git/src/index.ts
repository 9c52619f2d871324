export { gitSource } from "./git-source.ts";
