import { createNoteTools, type KnowledgeRepository } from "@ikigai/notes";
import { afterAll, expect, test } from "vitest";
import { TOOLS } from "@ikigai/host/parts";
import { closeSharedStore, openWorkspace } from "./testing/open-workspace.ts";

afterAll(closeSharedStore);

test("every tool of a feature is known as that feature's, so that asking for it without its package says what to install", async () => {
  const { run, close } = await openWorkspace();
  try {
    const offered = new Set(
      (JSON.parse((await run(["tools", "--json"])).out) as { name: string }[]).map(({ name }) => name),
    );
    for (const name of Object.values(TOOLS).flat()) expect(offered).toContain(name);
    const notes = createNoteTools({ repository: {} as KnowledgeRepository }).map(({ name }) => name);
    expect(TOOLS.notes?.toSorted()).toEqual(notes.toSorted());
  } finally {
    await close();
  }
});
