import { actOfAPerson, assertPerson, diffLines } from "@ikigai/host/policy";
import { IkigaiError } from "@ikigai/core";
import { confirmAbout, showWhole } from "../terminal/ask-about.ts";
import type { Session } from "../command-line.ts";

/** Shows what changed in the tools of the configured servers and asks. Contract: 1 when something stays withheld. */
export async function trustTools(
  { host, settings, terminal }: Session,
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
  assertPerson("trust tools that changed");
  const question = {
    heading: "These tools changed:",
    change: changed.flatMap(({ server: name, tool, before = "", text }) => [
      `@@ ${name}: ${tool} @@`,
      ...diffLines(before, text),
    ]),
  };
  if (yes || !terminal.interactive) showWhole(terminal, question);
  if (!yes && !terminal.interactive) {
    throw new IkigaiError("permission_denied", "Nobody can be asked whether to trust these tools", {
      hint: "Pass --yes after looking at them.",
    });
  }
  const agreed = yes || (await confirmAbout(terminal, question, "Trust them as they are now?"));
  if (agreed) {
    const effect = { action: "update", target: `mcp://${server ?? ""}` } as const;
    const input = { tools: changed.map((one) => `${one.server}: ${one.tool}`) };
    await actOfAPerson(settings, { command: "mcp trust", effect, input }, () => host.toolTrust.accept(changed));
  }
  terminal.print(agreed ? "Trusted. A change asks again." : "Not trusted; they stay withheld.");
  return agreed ? 0 : 1;
}
