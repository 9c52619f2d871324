import type { Client } from "@modelcontextprotocol/client";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";
import { callTool, connectOverStdio, PROCESSES_MS } from "./testing/official-client.ts";

afterAll(closeSharedStore);

/** A call of each tool, in an order in which each succeeds. */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["file_write", { path: "a.txt", content: "one\n" }],
  ["file_read", { path: "a.txt" }],
  ["file_edit", { path: "a.txt", old: "one", new: "two" }],
  ["history", { path: "a.txt" }],
  ["undo", { path: "a.txt" }],
  ["file_edit", { path: "a.txt", old: "one", new: "two" }],
  ["file_move", { from: "a.txt", to: "moved.txt" }],
  ["file_move", { from: "moved.txt", to: "a.txt" }],
  ["file_write", { path: "gone.txt", content: "x" }],
  ["file_delete", { path: "gone.txt" }],
  ["glob", { pattern: "*.txt" }],
  ["grep", { pattern: "two", context: 1 }],
  ["file", { op: "load", path: "a.txt" }],
  ["file", { op: "append", path: "a.txt", content: "three\n" }],
  ["file", { op: "status" }],
  ["file", { op: "diff", path: "a.txt" }],
  ["file", { op: "save", path: "a.txt" }],
  ["file", { op: "list" }],
  ["block", { op: "info", label: "a.txt" }],
  ["block_edit", { op: "append", label: "a.txt", content: "four\n" }],
  ["file", { op: "create", path: "b.txt", content: "x" }],
  ["file", { op: "delete", path: "b.txt" }],
  ["source", { op: "list" }],
  ["source", { op: "status", source_id: "file" }],
  ["source", { op: "pause", source_id: "file" }],
  ["recall", { op: "insert", content: "The office is in Linz.", occurred_at: "2026-01-02" }],
  ["recall", { op: "search", query: "office" }],
  ["bash", { command: "echo hello; exit 3" }],
  ["bash", { command: "kill -9 $$" }],
  ["bash", { command: "echo x", background: true }],
  ["bash_jobs", { op: "list" }],
  ["slash_command", { command: "/remember short" }],
  ["create_note", { name: "Ideas", content: "---\ntags: [a]\n---\n# Ideas\nSee [[Plan]].\n" }],
  ["create_note", { name: "Plan", content: "# Plan\n" }],
  ["read_note", { name: "Ideas" }],
  ["update_note", { name: "Plan", mode: "append", content: "More ideas.\n" }],
  ["get_note_metadata", { name: "Plan" }],
  ["list_notes", {}],
  ["search_notes", { query: "ideas" }],
  ["add_tag", { name: "Plan", tag: "a" }],
  ["add_tag", { name: "Plan", tag: "a" }],
  ["search_by_tags", { tags: ["a"] }],
  ["search_by_properties", { properties: { tags: { exists: true } } }],
  ["find_related", { name: "Ideas" }],
  ["list_tags", {}],
  ["remove_tag", { name: "Plan", tag: "a" }],
  ["rename_note", { name: "Plan", new_name: "Plans" }],
  ["delete_note", { name: "Plans" }],
];

/** What each tool says that it answers, as something that can check it. */
async function outputSchemas(
  run: (args: readonly string[]) => Promise<{ out: string }>,
): Promise<Map<string, z.ZodType>> {
  const { out } = await run(["--json", "tools"]);
  const cards = JSON.parse(out) as { name: string; outputSchema?: Parameters<typeof z.fromJSONSchema>[0] }[];
  return new Map(
    cards.flatMap(({ name, outputSchema }) => (outputSchema ? [[name, z.fromJSONSchema(outputSchema)] as const] : [])),
  );
}

test("every tool says what it answers and how it acts, and answers so", { timeout: PROCESSES_MS }, async () => {
  const { root, store, run, close } = await openWorkspace();
  const sets = "files,blocks,recall,notes,shell,commands";
  const flags = ["--root", root, "--store", store, "--agent", "schemas", "--approve", "all"];
  const client: Client = await connectOverStdio([...flags, "mcp", "--tools", sets]);
  const { tools } = await client.listTools();
  const announced = await outputSchemas(run);
  const hints = { readOnlyHint: expect.any(Boolean), destructiveHint: expect.any(Boolean) };
  for (const { name, annotations } of tools) {
    expect(announced.has(name), name).toBe(true);
    const all = { ...hints, idempotentHint: expect.any(Boolean), openWorldHint: expect.any(Boolean) };
    expect(annotations, name).toMatchObject(all);
  }
  for (const [name, args] of CALLS) {
    const said = `${name} ${JSON.stringify(args)}`;
    const answer = await callTool(client, name, args);
    expect(answer, said).toMatchObject({ success: true });
    expect(announced.get(name)?.safeParse(answer.data).error, said).toBeUndefined();
  }
  expect(tools.map(({ name }) => name).toSorted()).toEqual([...new Set(CALLS.map(([name]) => name))].toSorted());
  await client.close();
  await close();
});
