export { openTokenCounter } from "./open-token-counter.ts";
