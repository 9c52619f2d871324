export { type ApprovalMeans, type Caller, dataOf, type Host, type HostOptions, openHost } from "./open-host.ts";
export { definePart, type OpenedPart, type Part, PART_CONTRACT, type PartHost } from "@ikigai/core/host";
