import { IkigaiError, messageOf } from "@ikigai/core";
import type { SourceManager } from "@ikigai/core/host";
import type { Complete, PromptCard, Prompts, PromptText } from "@ikigai/mcp";
import { type AssetEntry, type AssetIndex, commandLine } from "@ikigai/memory";
import { ASSETS } from "../policy/host-policy.ts";
import { frontDescription } from "./front-description.ts";

export interface StorePromptsOptions {
  readonly sources: SourceManager;
  /** Absent: nothing is stored, so there are no skills. */
  readonly assets?: AssetIndex;
  readonly agent: string;
  /** Receives warnings for the operator. Must not throw. */
  readonly warn: (message: string) => void;
}

/** Prompts that a host closes with itself. */
export interface StorePrompts extends Prompts, Disposable {
  readonly complete: Complete;
}

const SKILL = "skill";
const MAX_SKILLS = 1_000;
const MAX_TEXT = 100_000;
const MAX_COMPLETIONS = 101;

const OWN: readonly PromptCard[] = [
  {
    name: "compact",
    title: "Compact a stored text",
    description: "Shortens a stored text, after showing before and after. Undo brings it back.",
    arguments: [{ name: "address", description: "Such as blocks/decisions.md", required: true }],
  },
  {
    name: "remember",
    title: "Remember",
    description: "Keeps a sentence beyond this conversation, or proposes what is worth keeping.",
    arguments: [{ name: "text", description: "The sentence. Without one, propose some", words: true }],
  },
];

/**
 * `/compact`, `/remember` and the stored skills, as prompts that the client's own model carries out.
 *
 * Contract: a skill is named by its path without `.md`; its text is shown up to a limit, and says where it goes on.
 * Listeners hear when skills come, go or change, from the first list on.
 */
export function storePrompts({ sources, assets, agent, warn }: StorePromptsOptions): StorePrompts {
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let watching = false;

  async function skills(): Promise<readonly AssetEntry[]> {
    const found: AssetEntry[] = [];
    for await (const entry of assets?.list(agent, "") ?? []) {
      if (entry.category !== SKILL || entry.archived) continue;
      found.push(entry);
      if (found.length === MAX_SKILLS) break;
    }
    return found;
  }

  /** Begun with the first list, because it opens the store. */
  function watch(): void {
    if (watching || assets === undefined) return;
    watching = true;
    const { source } = sources.routePrefix(`${ASSETS}:///`);
    const follow = async (): Promise<void> => {
      for await (const { path } of source.watch?.({ signal: stopping.signal }) ?? []) {
        if (path.startsWith("skills/")) for (const listener of listeners) listener();
      }
    };
    follow().catch((error: unknown) => {
      if (!stopping.signal.aborted) warn(`skills are no longer watched: ${messageOf(error)}`);
    });
  }

  /** Adds a description to an asset: the one that a person wrote, else the beginning of its text. */
  async function describe(entry: AssetEntry): Promise<AssetEntry> {
    if (entry.description !== "") return entry;
    const content = await sources.route(`${ASSETS}:///${entry.path}`).source.read(entry.path);
    return { ...entry, description: frontDescription(content?.text ?? "") ?? "" };
  }

  async function skillText(entry: AssetEntry, task: string): Promise<PromptText | undefined> {
    const { source, uri } = sources.route(`${ASSETS}:///${entry.path}`);
    const content = await source.read(entry.path);
    if (content === undefined) return undefined;
    const { fence } = await import("@ikigai/agent");
    const cut = content.text.length > MAX_TEXT;
    const text = cut ? `${content.text.slice(0, MAX_TEXT).toWellFormed()}\n\n[Read ${uri} to go on.]` : content.text;
    const ask = task === "" ? "Follow this skill in what we do next." : `Follow this skill for this task: ${task}`;
    return {
      ...(entry.description !== "" && { description: entry.description }),
      messages: [{ role: "user", text: `${ask}\n\n${fence(text, uri, content.version)}` }],
    };
  }

  return {
    async list() {
      watch();
      const described = await Promise.all((await skills()).map(describe));
      return [...OWN, ...described.map(toCard)];
    },
    async get(name, values) {
      if (name === "compact") return compactText(sources, values["address"] ?? "");
      if (name === "remember") return rememberText(values["text"] ?? "");
      const entry = (await skills()).find(({ path }) => nameOf(path) === name);
      return entry && skillText(await describe(entry), values["task"] ?? "");
    },
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async complete({ of, name, value }) {
      if (!("prompt" in of) || of.prompt !== "compact" || name !== "address") return [];
      const found: string[] = [];
      const wanted = value.replace(`${ASSETS}:///`, "").toLowerCase();
      for await (const { path } of assets?.list(agent, "") ?? []) {
        const plain = path.toLowerCase();
        if (plain.startsWith(wanted) || plain.slice(plain.lastIndexOf("/") + 1).startsWith(wanted)) found.push(path);
        if (found.length === MAX_COMPLETIONS) break;
      }
      return found;
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

function toCard({ path, description }: AssetEntry): PromptCard {
  return {
    name: nameOf(path),
    description: description === "" ? `The skill at ${ASSETS}:///${path}` : description,
    arguments: [{ name: "task", description: "What to use it for", words: true }],
  };
}

function nameOf(path: string): string {
  return path.replace(/\.md$/, "");
}

async function compactText(sources: SourceManager, address: string): Promise<PromptText> {
  if (address === "")
    throw new IkigaiError("invalid_input", "compact needs an address, such as blocks/decisions.md", {
      hint: "Name a stored text; /assets list shows them.",
    });
  const stored = address.includes("://") ? address : `${ASSETS}:///${address}`;
  const { source, address: place, uri } = sources.route(stored);
  const exact = await source.read(place.path);
  const content = exact ?? (await source.read(`${place.path}.md`));
  if (content === undefined) {
    throw new IkigaiError("invalid_input", `There is nothing at ${uri}`, { hint: "Choose a stored text." });
  }
  const found = exact === undefined ? `${uri}.md` : uri;
  const text = `Compact the stored text at ${found} (${content.text.length} characters).
1. Read it with file_read.
2. Write a version of at most half the length that keeps every decision, rule, name, number and open question, in the same form.
3. Show me what would change, and wait until I agree.
4. Then write it with file_write. It can be brought back with the slash command /undo ${found}.`;
  return { messages: [{ role: "user", text }] };
}

function rememberText(sentence: string): PromptText {
  const text =
    sentence === ""
      ? `Choose what is worth remembering beyond this conversation: rules, decisions, preferences, names and facts that will
matter again. Show me at most five, each as one short line. For each that I agree to, call slash_command with
/remember followed by the line as it stands.`
      : `Remember this beyond our conversation, by calling slash_command with: ${rememberLine(sentence)}`;
  return { messages: [{ role: "user", text }] };
}

/** The command that keeps exactly this sentence. */
function rememberLine(sentence: string): string {
  return sentence.startsWith('"') ? commandLine("remember", [sentence]) : `/remember ${sentence}`;
}
