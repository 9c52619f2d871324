import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";
import { callTool, connectOverStdio, PROCESSES_MS } from "./testing/official-client.ts";

afterAll(closeSharedStore);

test(
  "what one tool showed or wrote in a conversation, every other tool takes as seen there, and another's change it does not",
  async () => {
    const { root, store, close } = await openWorkspace();
    const client = await connectOverStdio(["--root", root, "--store", store, "mcp"]);
    const call = (name: string, args: Record<string, unknown>): ReturnType<typeof callTool> =>
      callTool(client, name, args);
    try {
      await call("create_note", { name: "Plan", content: "one" });
      expect(await call("file_write", { path: "Plan.md", content: "two" })).toMatchObject({ success: true });
      expect(await call("update_note", { name: "Plan", mode: "replace", content: "three" })).toMatchObject({
        success: true,
      });
      await call("update_note", { name: "Plan", mode: "append", content: "four" });
      await call("add_tag", { name: "Plan", tag: "todo" });
      expect(await call("file_write", { path: "Plan.md", content: "five" })).toMatchObject({ success: true });
      writeFileSync(join(root, "Plan.md"), "by a person");
      await call("update_note", { name: "Plan", mode: "append", content: "six" });
      expect(await call("file_write", { path: "Plan.md", content: "seven" })).toMatchObject({ code: "conflict" });
      await call("read_note", { name: "Plan" });
      expect(await call("file_write", { path: "Plan.md", content: "eight" })).toMatchObject({ success: true });
    } finally {
      await client.close();
      await close();
    }
  },
  PROCESSES_MS,
);
