export { createVirtualTerminal, type VirtualTerminal } from "./virtual-terminal.ts";
