export { type CallDetails, detailsOf } from "./audit-details.ts";
export { undoableChanges } from "./undoable-changes.ts";
export { describeUnfinished } from "./unfinished-calls.ts";
