export { findInSources, type SourceFinders } from "./find-in-sources.ts";
