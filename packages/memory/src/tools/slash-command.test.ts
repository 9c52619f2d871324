import type { Command } from "@ikigai/core/host";
import { createPolicy, createToolRegistry } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { createCommands } from "../commands/create-commands.ts";
import { createSlashCommandTool } from "./slash-command.ts";

const command = (name: string, more: Partial<Command> = {}): Command => ({
  name,
  usage: "",
  description: `Does ${name}.`,
  examples: [],
  plan: async () => ({
    effects: [{ action: "update", target: "ikigai:///a.md" }],
    run: async () => ({ text: `did ${name}`, data: { done: true } }),
  }),
  ...more,
});

test("a command that asks by itself says so in its preview, so that nobody is asked twice", async () => {
  const commands = createCommands();
  const preview = { description: "Shortens a.md", before: "long", after: "short" };
  const planned = async () => ({ effects: [], preview, run: async () => ({ text: "" }) });
  commands.register([command("shorten", { confirmsItself: true, plan: planned }), command("keep")]);
  const tool = createSlashCommandTool(commands);
  const plan = { agent: "ann", conversation: "c", callId: "1", tool: "slash_command", signal: AbortSignal.any([]) };
  expect(await tool.preview?.({ command: "/shorten" }, plan)).toEqual({ ...preview, confirmsItself: true });
  expect(await tool.preview?.({ command: "/keep" }, plan)).toEqual({ description: "/keep" });
});

test("a command that cannot be used here is not offered to the model, and is refused with the reason", async () => {
  const commands = createCommands();
  commands.register([command("shorten", { unavailable: "There is no model to shorten with" }), command("keep")]);
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
  const tool = createSlashCommandTool(commands);
  registry.register([tool]);
  expect(tool.description).toContain("- /keep: Does keep.");
  expect(tool.description).not.toContain("/shorten");
  const call = (line: string) => registry.call({ name: "slash_command", arguments: { command: line } });
  expect(await call("/shorten")).toMatchObject({
    success: false,
    code: "unavailable",
    error: expect.stringContaining("There is no model to shorten with"),
  });
  expect(await call("/keep")).toMatchObject({ success: true, data: { output: "did keep", data: { done: true } } });
});

test("the model reads the output of a command once, without the data that programs get", () => {
  const tool = createSlashCommandTool(createCommands());
  expect(tool.toText?.({ output: "did keep", data: { done: true } }, { input: {} })).toBe("did keep");
});
