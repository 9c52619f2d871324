import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { callTool } from "./official-client.ts";

export interface Interleaved {
  readonly acknowledged: number;
  /** Acknowledged changes that are not in the text at the end. */
  readonly lost: readonly string[];
  /** What was refused, by code. A refusal is no loss. */
  readonly refused: ReadonlyMap<string, number>;
}

const PLACES = ["file", "asset", "note"] as const;
type Place = (typeof PLACES)[number];

/**
 * Edits from several clients at once on the same file, asset and note: each its own line, none waiting for another.
 *
 * Contract: counts only what was acknowledged; reads the result through the first client, and the file from the disk.
 */
export async function interleaveEdits(
  clients: readonly Client[],
  root: string,
  edits: number,
  inFlight: number,
): Promise<Interleaved> {
  const [first] = clients;
  if (first === undefined) throw new Error("no client");
  const lines = Array.from({ length: edits }, (_, index) => `line ${index} old.`).join("\n");
  const name = `shared-${randomUUID()}`;
  const asset = `ikigai:///blocks/${name}.md`;
  await callTool(first, "file_write", { path: `${name}.txt`, content: lines });
  await callTool(first, "file_write", { path: asset, content: lines });
  await callTool(first, "create_note", { name, content: lines });
  const edit = (client: Client, place: Place, old: string, next: string): ReturnType<typeof callTool> =>
    place === "note"
      ? callTool(client, "update_note", { name, mode: "find_replace", old, new: next })
      : callTool(client, "file_edit", { path: place === "file" ? `${name}.txt` : asset, old, new: next });
  const acknowledged: { place: Place; line: string }[] = [];
  const refused = new Map<string, number>();
  const waiting = Array.from({ length: edits }, (_, index) => index).values();
  const worker = async (client: Client): Promise<void> => {
    for (const index of waiting) {
      const place = PLACES[index % PLACES.length] as Place;
      const line = `line ${index} new.`;
      const { success, code = "" } = await edit(client, place, `line ${index} old.`, line);
      if (success) acknowledged.push({ place, line });
      else refused.set(code, (refused.get(code) ?? 0) + 1);
    }
  };
  await Promise.all(clients.flatMap((client) => Array.from({ length: inFlight }, () => worker(client))));
  const read = async (path: string): Promise<string> =>
    String((await callTool(first, "file_read", { path })).data?.["content"]);
  const texts: Record<Place, string> = {
    file: await readFile(join(root, `${name}.txt`), "utf8"),
    asset: await read(asset),
    note: String((await callTool(first, "read_note", { name })).data?.["content"]),
  };
  const lost = acknowledged.filter(({ place, line }) => !texts[place].includes(line));
  return { acknowledged: acknowledged.length, lost: lost.map(({ place, line }) => `${place}: ${line}`), refused };
}
