import { type AddCommand, examples, type Session } from "../command-line.ts";
import { describeServer } from "@ikigai/host/mcp";
import { describePart } from "@ikigai/host/parts";

export const addSources: AddCommand = (program, withSession) => {
  program
    .command("sources")
    .description("list the mounted sources and the parts that were added, what they can do and how they are")
    .action(withSession(listSources))
    .addHelpText("after", examples("ikigai sources", "ikigai sources --json"));
};

/** Lists the mounts with what they can do and how they are. Contract: 1 when a configured one is missing. */
export async function listSources({ host, terminal, settings: { json } }: Session): Promise<number> {
  await host.servers.start();
  const servers = host.servers.status();
  const parts = host.parts().filter(({ use }) => use !== undefined);
  const isWhole = host.failures.length === 0 && parts.every(({ state }) => state === "open");
  const code = isWhole && servers.every(({ error }) => error === undefined) ? 0 : 1;
  const mounted = host.sources.status();
  if (json) {
    const failed = host.failures.map(({ mount, error }) => ({ mount, state: "failed", error }));
    const others = servers.map(({ name, ...status }) => ({ server: name, kind: "mcp", ...status }));
    terminal.print(
      JSON.stringify([...mounted, ...failed, ...others, ...parts.map((part) => ({ kind: "part", ...part }))]),
    );
    return code;
  }
  const rows = [
    ["MOUNT", "SOURCE", "KIND", "STATE", "PERMISSION", "CAPABILITIES"],
    ...mounted.map(({ mount, name, kind, state, permission, capabilities }) => [
      `${mount}:///`,
      name,
      kind,
      state,
      permission,
      ["read", "list", ...capabilities].slice(kind === "block" ? 0 : 2).join(", ") || "events",
    ]),
    ...host.failures.map(({ mount, error }) => [`${mount}:///`, "-", "-", "failed", "-", error.split("\n")[0] ?? ""]),
    ...parts.map((part) => [part.part, part.use ?? "-", "part", part.state, "-", describePart(part)]),
    ...servers.map((server) => [server.name, "MCP server", "mcp", server.state, "-", describeServer(server)]),
  ];
  for (const line of table(rows)) terminal.print(line);
  return code;
}

/** Columns aligned to their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
