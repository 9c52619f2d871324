import type { Host } from "../host.ts";
import type { Terminal } from "../terminal.ts";

/** Lists the mounts with what they can do and how they are. */
export function listSources(host: Host, terminal: Terminal, json: boolean): void {
  const mounted = host.sources.status();
  if (json) {
    const failed = host.failures.map(({ mount, error }) => ({ mount, state: "failed", error }));
    return terminal.print(JSON.stringify([...mounted, ...failed]));
  }
  const rows = [
    ["MOUNT", "SOURCE", "KIND", "STATE", "CAPABILITIES"],
    ...mounted.map(({ mount, name, kind, state, capabilities }) => [
      `${mount}:///`,
      name,
      kind,
      state,
      ["read", "list", ...capabilities].slice(kind === "block" ? 0 : 2).join(", ") || "events",
    ]),
    ...host.failures.map(({ mount, error }) => [`${mount}:///`, "-", "-", "failed", error]),
  ];
  for (const line of table(rows)) terminal.print(line);
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
