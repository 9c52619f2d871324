import { expect } from "vitest";
import { type Fence, fencesOf } from "./markdown.ts";
import type { Place } from "./place.ts";

/** What a fence of a page asks for. CONTRIBUTING.md tells authors of these. */
export type Step =
  | { readonly kind: "shell"; readonly fence: Fence; readonly exit: number; readonly output?: Fence }
  | { readonly kind: "file"; readonly fence: Fence; readonly file: string }
  | { readonly kind: "call"; readonly fence: Fence; readonly client: string; readonly answer?: Fence };

/** The steps of a page, in order. */
export function stepsOf(page: string): Step[] {
  const fences = fencesOf(page);
  return fences.flatMap((fence, index): Step[] => {
    const next = fences[index + 1];
    const { language, about } = fence;
    if (language === "sh" && !about.startsWith("norun")) {
      const exit = Number(/^exit=(\d+)$/.exec(about)?.[1] ?? 0);
      return [{ kind: "shell", fence, exit, ...(next?.language === "text" && next.about === "" && { output: next }) }];
    }
    const [, client] = /^client (\S+)$/.exec(about) ?? [];
    if (client !== undefined) {
      return [{ kind: "call", fence, client, ...(next?.about === "answer" && { answer: next }) }];
    }
    if (/^[\w./-]+\.\w+$/.test(about) && !about.startsWith("examples/")) return [{ kind: "file", fence, file: about }];
    return [];
  });
}

/** Makes the steps of a page and compares what it shows with what happened. */
export async function runPage(steps: readonly Step[], place: Place): Promise<void> {
  for (const step of steps) {
    const where = `${step.fence.page}:${step.fence.line}`;
    if (step.kind === "file") await place.put(step.file, step.fence.text);
    else if (step.kind === "shell") {
      const { code, output } = await place.shell(step.fence.text);
      expect(code, `${where} ended with ${code}:\n${output}`).toBe(step.exit);
      if (step.output !== undefined) expectShown(step.output.text, output, where);
    } else {
      const answer = await place.call(step.client, JSON.parse(step.fence.text) as { name: string; arguments: unknown });
      if (step.answer !== undefined) expectShown(step.answer.text, `${answer}\n`, where);
    }
  }
}

/** Contract: `…` stands for anything on its line, and alone on a line for any lines; nothing else is forgiven. */
export function expectShown(shown: string, happened: string, where: string): void {
  const lines = shown.trimEnd().split("\n");
  const pattern = lines
    .map((line) => (line.trim() === "…" ? "(?:.*\n)*?" : `${line.trimEnd().split("…").map(escape).join(".*")}[ ]*\n`))
    .join("");
  const matches = new RegExp(`^${pattern}$`).test(`${happened.trimEnd()}\n`);
  expect(matches, `${where} shows\n${shown}\nbut this happened:\n${happened}`).toBe(true);
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
