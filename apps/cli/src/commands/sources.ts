import { type AddCommand, examples, type Session } from "../command-line.ts";

export const addSources: AddCommand = (program, withSession) => {
  program
    .command("sources")
    .description("list the mounted sources, what they can do and how they are")
    .action(() => withSession(listSources))
    .addHelpText("after", examples("ikigai sources", "ikigai sources --json"));
};

/** Lists the mounts with what they can do and how they are. Contract: 1 when a configured one is missing. */
export function listSources({ host, terminal, settings: { json } }: Session): number {
  const code = host.failures.length === 0 ? 0 : 1;
  const mounted = host.sources.status();
  if (json) {
    const failed = host.failures.map(({ mount, error }) => ({ mount, state: "failed", error }));
    terminal.print(JSON.stringify([...mounted, ...failed]));
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
