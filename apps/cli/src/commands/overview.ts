import type { Host } from "../host.ts";
import type { Settings } from "../settings.ts";
import type { Terminal } from "../terminal.ts";
import { listSources } from "./sources.ts";
import { listTools } from "./tools.ts";

/** What bare `ikigai` shows: what is mounted, which tools there are, and what to try next. */
export function showOverview(host: Host, settings: Settings, terminal: Terminal): void {
  terminal.print(`ikigai in ${settings.root}, acting as ${settings.agent}, approval ${settings.approve}\n`);
  listSources(host, terminal, false);
  terminal.print("");
  listTools(host, terminal, undefined, false);
  terminal.print(`
Try
  ikigai tool file_read '{"path":"README.md"}'
  ikigai tool file_write '{"path":"notes/hello.md","content":"Hello"}' --approve edits
  ikigai tools --format mcp
  ikigai --help`);
}
