export { type ApprovalMeans, dataOf, type Host, type HostOptions, openHost } from "./open-host.ts";
