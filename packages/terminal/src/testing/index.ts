export { createVirtualTerminal } from "./virtual-terminal.ts";
