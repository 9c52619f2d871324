import type { Manifest } from "@ikigai/agent";
import type { ApprovalMode, SourceStatus } from "@ikigai/core/host";

export interface StatusFacts {
  readonly model: string | undefined;
  readonly approve: ApprovalMode;
  /** Tokens that the model read and wrote since the conversation was opened. Absent: none. */
  readonly spent?: { readonly input: number; readonly output: number };
  readonly budget: { readonly used: number; readonly limit: number } | undefined;
  readonly manifest: Manifest | undefined;
  readonly sources: readonly SourceStatus[];
}

/** The line below the input: model, approval mode, pinned tokens of budget, context used, tokens spent, sources, streams. */
export function statusLine({ model, approve, spent, budget, manifest, sources }: StatusFacts): string {
  const pinned = manifest?.entries.filter(({ kind }) => kind === "pinned").reduce((sum, { tokens }) => sum + tokens, 0);
  const streams = sources.filter(({ kind }) => kind === "stream");
  const paused = streams.filter(({ state }) => state === "paused").length;
  const failed = sources.filter(({ error }) => error !== undefined).length;
  return [
    model ?? "no model (/model provider/model)",
    approve,
    budget === undefined ? `pinned ${short(pinned ?? 0)}` : `pinned ${short(budget.used)}/${short(budget.limit)}`,
    manifest === undefined ? "context 0" : `context ${short(manifest.tokens)}/${short(manifest.limit)}`,
    ...(spent === undefined || spent.input + spent.output === 0
      ? []
      : [`used ${short(spent.input)}+${short(spent.output)}`]),
    count(sources.length - streams.length, "source"),
    `${count(streams.length, "stream")}${paused > 0 ? ` (${paused} paused)` : ""}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(" · ");
}

function short(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
