/** The way of one `file_edit` in a built tree: its functions as `FILE NAME`, how often it goes to another file, and through how many. */
export function countHops(
  tree: string,
  kind: "tool" | "mcp",
): Promise<{ readonly way: readonly string[]; readonly hops: number; readonly files: number }>;
