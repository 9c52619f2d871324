import type { Session } from "../command-line.ts";
import { programPath } from "@ikigai/host/configuration";
import { readVersion } from "../program-version.ts";

/** What bare `ikigai` shows where there is no terminal: where it is, what it has, and commands that can be pasted. At most 20 lines. */
export async function showOverview({ host, settings, terminal }: Session): Promise<void> {
  const { chooseModel } = await import("@ikigai/host/agent");
  const { root, agent, approve, json } = settings;
  const named = host.config.agents?.find(({ name }) => name === agent);
  const model = chooseModel([{ model: settings.model, base_url: settings.baseUrl }, named ?? {}, host.config])?.model;
  const tools = host.registry.snapshot().cards.length;
  const mounts = host.sources.status().map(({ mount }) => `${mount}:///`);
  if (json) {
    return terminal.print(JSON.stringify({ version: readVersion(), root, agent, approve, model, tools, mounts }));
  }
  const run = programPath();
  const talk =
    model === undefined
      ? [
          [`${run} login anthropic`, "keep a key, or export ANTHROPIC_API_KEY; then talk to a model:"],
          [`${run} --model anthropic/claude-sonnet-4-5`, "or ollama/llama3 --base-url http://127.0.0.1:11434/v1"],
        ]
      : [[`${run} "what is in this folder?"`, "talk to the model; at a terminal a conversation opens"]];
  const rows = [
    [`${run} demo`, "a scripted model at work; needs no key"],
    [`${run} mcp install claude-code`, "connect a client: also cursor, codex, gemini, …"],
    ...talk,
    [`${run} tool file_read '{"path":"README.md"}'`, "call one tool by hand"],
    [`${run} tools`, "list the tools; sources lists what is mounted"],
    [`${run} --help`, "every command"],
  ];
  terminal.print(`ikigai ${readVersion()} in ${root}, acting as ${agent}, approval ${approve}`);
  terminal.print(`${tools} tools over ${mounts.join(", ")}`);
  terminal.print(
    model === undefined ? "There is no model yet; everything but talking works without one." : `Model: ${model}`,
  );
  terminal.print("\nTry");
  for (const [command = "", what = ""] of rows) terminal.print(`  ${command}\n      ${what}`);
}
