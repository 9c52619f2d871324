/** Facts about plain text that several packages count with. */
export { estimateTokens } from "./estimate-tokens.ts";
export { countLines, sliceLines, startOfLine } from "./lines.ts";
