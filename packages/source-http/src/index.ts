export { httpSource } from "./http-source.ts";
