import type { NormalisedRequest, Script, ScriptedReply } from "@ikigai/agent/testing";

export const OLD = "ikigai:///blocks/old-block.md";
export const NEW = "ikigai:///blocks/large-doc.md";

interface Step {
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly success: boolean;
  readonly data: Record<string, unknown>;
  readonly error: string;
}

/** What happened in this turn so far, read from the request itself. */
function stepsOf({ turns }: NormalisedRequest): Step[] {
  const last = turns.findLastIndex(({ role }) => role === "user");
  const results = new Map(
    turns.flatMap((turn) => (turn.role === "result" ? [[turn.id, JSON.parse(turn.text) as Partial<Step>]] : [])),
  );
  return turns.slice(last).flatMap((turn) =>
    turn.role !== "assistant"
      ? []
      : turn.calls.map(({ id, name, input }) => ({
          name,
          input: input as Record<string, unknown>,
          success: results.get(id)?.success === true,
          data: results.get(id)?.data ?? {},
          error: results.get(id)?.error ?? "",
        })),
  );
}

/**
 * A model that is none: it decides by rules, from what the tools answered.
 *
 * Contract: each reply follows from the request alone. It says that it is scripted.
 */
export function createDemoScript(document: string): Script {
  const write = { name: "file_write", input: { path: NEW, content: document } };
  return (request): ScriptedReply => {
    const steps = stepsOf(request);
    const last = steps.at(-1);
    if (last === undefined)
      return { text: "I am a scripted model, not a real one. I write the document.", calls: [write] };
    if (last.name === "slash_command") {
      return {
        text: last.success
          ? `Done. ${NEW} is saved. ${String(last.data["output"])}`
          : `I could not pin it: ${last.error}`,
      };
    }
    if (last.name === "file_write" && last.input["path"] === NEW) {
      if (last.success) {
        return {
          text: "Now it fits. I pin it.",
          calls: [{ name: "slash_command", input: { command: "/pin blocks/large-doc.md" } }],
        };
      }
      if (steps.some(({ name }) => name === "file_read")) return { text: `I give up: ${last.error}` };
      return {
        text: `The store refused it: ${last.error}\n\nI look at what takes the room.`,
        calls: [{ name: "file_read", input: { path: OLD } }],
      };
    }
    if (last.name === "file_read" && last.success) {
      const content = compact(String(last.data["content"]));
      return {
        text: "Much of it is said twice. I compact it.",
        calls: [{ name: "file_write", input: { path: OLD, content } }],
      };
    }
    return last.success
      ? { text: "That freed enough. I try again.", calls: [write] }
      : { text: `I could not: ${last.error}` };
  };
}

/** Drops lines that were said before: what a scripted model can do for compaction. */
function compact(text: string): string {
  return [...new Set(text.split("\n"))].join("\n");
}
