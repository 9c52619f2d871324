export { actOfAPerson } from "./acts-of-a-person.ts";
export { agentLayer } from "./agent-layer.ts";
export { asksPartner, PARTNER } from "./ask-partner.ts";
export { assertPerson, isPerson } from "./assert-person.ts";
export { diffLines } from "./diff-lines.ts";
export { explainCall, withPresentVersion } from "./explain-call.ts";
export { ASSETS } from "./host-policy.ts";
export { ASSET_CHANGES } from "./own-mounts.ts";
