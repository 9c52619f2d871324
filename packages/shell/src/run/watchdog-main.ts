import { guardHost } from "./guard-host.ts";

// Started by watchdog.ts with the host's marker and its folder of temporary files.
const [marker, folder] = process.argv.slice(2);
if (marker !== undefined && folder !== undefined) {
  process.title = "ikigai-watchdog";
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  await guardHost(process.stdin, marker, folder);
}
