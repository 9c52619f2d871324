import { type ToolCard, toAnthropicTools, toMcpTools, toOpenAiTools } from "@ikigai/core/host";
import { Option } from "commander";
import { type AddCommand, examples, type Session } from "../command-line.ts";
import { partToolsets } from "@ikigai/host/mcp";
import { loadPart, TOOLSETS } from "@ikigai/host/parts";
import { table } from "./sources.ts";

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
    .option("--cost", "what they cost a prompt, in tokens: by toolset, by tool, and what MCP clients get by default")
    .action(
      withSession(async (session, { format, cost = false }: { format?: CatalogFormat; cost?: boolean }) => {
        await session.host.servers.start();
        return cost ? showCost(session) : listTools(session, format);
      }),
    )
    .addHelpText("after", examples("ikigai tools", "ikigai tools --format openai", "ikigai tools --cost"));
};

/** Lists the tools: for people, as cards with `--json`, or as a provider takes them with `--format`. */
export function listTools({ host, terminal, settings: { json } }: Session, format?: CatalogFormat): void {
  const { cards } = host.registry.snapshot();
  if (format !== undefined) return terminal.print(JSON.stringify(FORMATS[format](cards), undefined, json ? 0 : 2));
  if (json) return terminal.print(JSON.stringify(cards));
  const width = Math.max(...cards.map(({ name }) => name.length));
  for (const { name, description } of cards) terminal.print(`${name.padEnd(width)}  ${firstSentence(description)}`);
}

/** What offering the tools costs: one line for the default set of `ikigai mcp`, one for each toolset and tool. */
async function showCost({ host, terminal, settings: { json } }: Session): Promise<void> {
  const [{ DEFAULT_TOOLSETS, estimateCatalogTokens, selectTools }, { openTokenCounter }] = await Promise.all([
    loadPart("@ikigai/mcp", "mcp"),
    import("@ikigai/host/tokens"),
  ]);
  const { total, tools } = estimateCatalogTokens(host.registry.snapshot().cards, await openTokenCounter());
  const isDefault = selectTools(DEFAULT_TOOLSETS, TOOLSETS);
  const added = Object.entries(partToolsets(host));
  const partOf = (name: string): string | undefined => added.find(([, names]) => names.includes(name))?.[0];
  const setOf = ({ name }: { readonly name: string }): string =>
    partOf(name) ??
    Object.keys(TOOLSETS).find((set) => !DEFAULT_TOOLSETS.includes(set) && TOOLSETS[set]?.includes(name)) ??
    (name.includes("__") ? `${name.slice(0, name.indexOf("__"))}__*` : "other");
  const isOffered = (tool: { readonly name: string }): boolean =>
    isDefault(tool.name) || partOf(tool.name) !== undefined || setOf(tool).endsWith("__*");
  const sets = [...new Set(tools.map(setOf))].map((name) => {
    const members = tools.filter((tool) => setOf(tool) === name);
    const tokens = members.reduce((sum, tool) => sum + tool.tokens, 0);
    return { name, tokens, tools: members.map((tool) => ({ ...tool, default: isOffered(tool) })) };
  });
  const byDefault = tools.reduce((sum, tool) => sum + (isOffered(tool) ? tool.tokens : 0), 0);
  if (json) return terminal.print(JSON.stringify({ total, default: byDefault, toolsets: sets }));
  const rows = [
    ["TOOLSET", "TOOL", "TOKENS", "IN THE DEFAULT SET"],
    ...sets.flatMap((set) => [
      [set.name, "", String(set.tokens), ""],
      ...set.tools.map((tool) => ["", tool.name, String(tool.tokens), tool.default ? "yes" : "no"]),
    ]),
    ["default set", "", String(byDefault), ""],
    ["all", "", String(total), ""],
  ];
  for (const line of table(rows)) terminal.print(line);
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
