export type { Clock } from "./clock.ts";
export { createCronSource, cronSource } from "./cron-source.ts";
export type { CronSourceOptions } from "./options.ts";
