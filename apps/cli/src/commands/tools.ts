import { type ToolCard, toAnthropicTools, toMcpTools, toOpenAiTools } from "@ikigai/core";
import { Option } from "commander";
import { type AddCommand, examples, type Session } from "../command-line.ts";

type CatalogFormat = "openai" | "anthropic" | "mcp";

const FORMATS: Readonly<Record<CatalogFormat, (cards: readonly ToolCard[]) => unknown>> = {
  openai: toOpenAiTools,
  anthropic: toAnthropicTools,
  mcp: toMcpTools,
};

export const addTools: AddCommand = (program, withSession) => {
  program
    .command("tools")
    .description("list the tools")
    .addOption(new Option("--format <format>", "as a provider takes them").choices(Object.keys(FORMATS)))
    .action(({ format }: { format?: CatalogFormat }) => withSession((session) => listTools(session, format)))
    .addHelpText("after", examples("ikigai tools", "ikigai tools --format openai"));
};

/** Lists the tools: for people, as cards with `--json`, or as a provider takes them with `--format`. */
export function listTools({ host, terminal, settings: { json } }: Session, format?: CatalogFormat): void {
  const { cards } = host.registry.snapshot();
  if (format !== undefined) return terminal.print(JSON.stringify(FORMATS[format](cards), undefined, json ? 0 : 2));
  if (json) return terminal.print(JSON.stringify(cards));
  const width = Math.max(...cards.map(({ name }) => name.length));
  for (const { name, description } of cards) terminal.print(`${name.padEnd(width)}  ${firstSentence(description)}`);
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
