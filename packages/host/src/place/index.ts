export { type HostPlace, type Place, resolvePlace } from "./place.ts";
