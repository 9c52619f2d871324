import { IkigaiError } from "@ikigai/core";
import type { Session } from "../command-line.ts";
import { renderDiff } from "../render-diff.ts";

const SHOWN_LINES = 120;

/** Shows what changed in the tools of the configured servers and asks. Contract: 1 when something stays withheld. */
export async function trustTools(
  { host, terminal }: Session,
  server: string | undefined,
  yes: boolean,
): Promise<number> {
  if (server !== undefined && !host.servers.names.includes(server)) {
    throw new IkigaiError("invalid_input", `The configuration names no MCP server ${JSON.stringify(server)}`, {
      hint: `It names: ${host.servers.names.join(", ") || "none"}.`,
    });
  }
  await host.servers.start();
  const changed = host.toolTrust.changed().filter((tool) => server === undefined || tool.server === server);
  if (changed.length === 0) {
    terminal.print("No tool changed since it was trusted.");
    return 0;
  }
  for (const { server: name, tool, before = "", text } of changed) {
    terminal.note(`\n${name}: ${tool}`);
    terminal.show(renderDiff(before, text, SHOWN_LINES, terminal.colours));
  }
  if (!yes && !terminal.interactive) {
    throw new IkigaiError("permission_denied", "Nobody can be asked whether to trust these tools", {
      hint: "Pass --yes after looking at them.",
    });
  }
  const agreed = yes || /^y(es)?$/i.test((await terminal.ask("Trust them as they are now? [y/N] ")).trim());
  if (agreed) await host.toolTrust.accept(changed);
  terminal.print(agreed ? "Trusted. A change asks again." : "Not trusted; they stay withheld.");
  return agreed ? 0 : 1;
}
