export { cronSource } from "./cron-source.ts";
