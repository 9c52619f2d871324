import { toAnthropicTools, toMcpTools, toOpenAiTools } from "@ikigai/core";
import type { Host } from "../host.ts";
import type { Terminal } from "../terminal.ts";

export const CATALOG_FORMATS = ["openai", "anthropic", "mcp"] as const;
export type CatalogFormat = (typeof CATALOG_FORMATS)[number];

const FORMATS = { openai: toOpenAiTools, anthropic: toAnthropicTools, mcp: toMcpTools } as const;

/** Lists the tools: for people, as cards with `--json`, or as a provider takes them with `--format`. */
export function listTools(host: Host, terminal: Terminal, format: CatalogFormat | undefined, json: boolean): void {
  const { cards } = host.registry.snapshot();
  if (format !== undefined) return terminal.print(JSON.stringify(FORMATS[format](cards), undefined, json ? 0 : 2));
  if (json) return terminal.print(JSON.stringify(cards));
  const width = Math.max(...cards.map(({ name }) => name.length));
  for (const { name, description } of cards) terminal.print(`${name.padEnd(width)}  ${firstSentence(description)}`);
}

export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
