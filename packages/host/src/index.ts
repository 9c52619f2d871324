export { dataOf } from "./data-of.ts";
export type { ApprovalMeans, Caller, Host, HostOptions } from "./host.ts";
export { openHost } from "./open-host.ts";
export type { GivenPart } from "./parts/given-parts.ts";
export type { PartStatus } from "./parts/open-parts.ts";
export { definePart, type OpenedPart, type Part, PART_CONTRACT, type PartHost } from "@ikigai/core/host";
