export { findInSources } from "./find-in-sources.ts";
