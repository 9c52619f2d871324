import { compareEntries, type Manifest } from "@ikigai/agent";
import type { ManifestQuery, RecordedManifest } from "@ikigai/core/host";
import { IkigaiError } from "@ikigai/core";
import { table } from "../../commands/sources.ts";
import type { ChatCommand } from "../chat-commands.ts";

/** What a request was made of: the last one, or an earlier one and what changed since the one before it. */
export const context: ChatCommand = {
  name: "context",
  usage: "[N | --turn N]",
  description: "what the last request was made of, or request N",
  async run(args, { session, store, conversation, say }) {
    const which = parseWhich(args);
    const id = await conversation();
    const recorded = await store.conversations.findManifest(id, which);
    if (which.request === undefined && which.turn === undefined) {
      const manifest = await (await session()).manifest();
      return say(manifest === undefined ? "Nothing was sent yet." : describeManifest(manifest, footer(recorded)));
    }
    if (recorded === undefined) throw noSuchRequest(args, await store.conversations.findManifest(id));
    if (which.turn !== undefined) return say(describeManifest(recorded.manifest, footer(recorded)));
    const before = await store.conversations.findManifest(id, { request: recorded.request - 1 });
    const entries = compareEntries(recorded.manifest.entries, before?.manifest);
    say(describeManifest({ ...recorded.manifest, entries }, footer(recorded, before)));
  },
};

/** The manifest of a request as a table. */
export function describeManifest({ entries, tokens, limit }: Manifest, more = ""): string {
  const rows = entries.map(({ kind, source, version, tokens: cost, change, reason }) => [
    kind,
    source,
    version,
    String(cost),
    change,
    reason,
  ]);
  const lines = table([["KIND", "SOURCE", "VERSION", "TOKENS", "CHANGE", "BECAUSE"], ...rows]);
  return [...lines, `${tokens} of ${limit} tokens${more}`].join("\n");
}

/** Which request it was, and against what its changes are told. */
function footer(recorded: RecordedManifest<Manifest> | undefined, before?: RecordedManifest<Manifest>): string {
  if (recorded === undefined) return "";
  const { request, turn, at } = recorded;
  const against = before === undefined ? "the turn before" : `request ${before.request} (turn ${before.turn})`;
  const earlier = before === undefined && request > 1 ? `; /context ${request - 1} shows the request before` : "";
  return `; request ${request}, turn ${turn}, ${at}; changes since ${against}${earlier}`;
}

function parseWhich(args: string): ManifestQuery {
  const [, turn, number] = /^(--turn\s+)?([1-9]\d{0,8})$/.exec(args.trim()) ?? [];
  if (number !== undefined) return turn === undefined ? { request: Number(number) } : { turn: Number(number) };
  if (args.trim() === "") return {};
  throw new IkigaiError("invalid_input", `${JSON.stringify(args)} names no request`, {
    hint: "Write /context, /context N or /context --turn N.",
  });
}

function noSuchRequest(args: string, last: RecordedManifest<Manifest> | undefined): IkigaiError {
  return new IkigaiError("not_found", `Nothing is recorded for /context ${args.trim()}`, {
    hint:
      last === undefined
        ? "Nothing was sent yet."
        : `There are requests 1 to ${last.request}; the last is of turn ${last.turn}.`,
  });
}
