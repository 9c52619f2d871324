export { dataOf } from "./data-of.ts";
export type { Host, HostOptions } from "./host.ts";
export { openHost } from "./open-host.ts";
export { definePart, type OpenedPart, type Part, type PartHost } from "@ikigai/core/host";
