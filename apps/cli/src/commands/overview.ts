import type { Session } from "../command-line.ts";
import { listSources } from "./sources.ts";
import { listTools } from "./tools.ts";

/** What bare `ikigai` shows: what is mounted, which tools there are, and what to try next. */
export async function showOverview(session: Session): Promise<void> {
  const { settings, terminal } = session;
  terminal.print(`ikigai in ${settings.root}, acting as ${settings.agent}, approval ${settings.approve}\n`);
  await listSources(session);
  terminal.print("");
  listTools(session);
  terminal.print(`
Try
  ikigai tool file_read '{"path":"README.md"}'
  ikigai tool file_write '{"path":"notes/hello.md","content":"Hello"}' --approve edits
  ikigai tools --format mcp
  ikigai --help`);
}
