import { IkigaiError, messageOf } from "@ikigai/core";
import { decidingReason, type Policy } from "@ikigai/core/host";
import type { ResourceCard, ResourcePart, Resources } from "@ikigai/mcp";
import type { BlockService, Pins } from "@ikigai/memory";

export interface PinnedBlocksOptions {
  readonly blocks: Pick<BlockService, "text">;
  readonly pins: Pick<Pins, "status">;
  /** Whether the store is open anyway. Watching alone must not open it. */
  readonly isOpen: () => boolean;
  readonly policy: Policy;
  readonly agent: string;
  readonly warn: (message: string) => void;
  /** Milliseconds between two looks at what is subscribed to. Default 1,000. */
  readonly lookMs?: number;
}

const BLOCK = "block:///";
const MAX_LISTED = 100;
const MAX_CHARS = 100_000;
const LOOK_MS = 1_000;

/** `resources` with the blocks that the agent has pinned before them, as `block:///LABEL`. */
export function withPinnedBlocks(resources: Resources, options: PinnedBlocksOptions): Resources {
  const { blocks, pins, isOpen, policy, agent, warn, lookMs = LOOK_MS } = options;

  async function pinned(): Promise<ReadonlyMap<string, string>> {
    const found = (await pins.status(agent)).pins.filter(({ uri }) => uri.startsWith(BLOCK));
    return new Map(found.slice(0, MAX_LISTED).map(({ uri, version }) => [uri.slice(BLOCK.length), version]));
  }

  /** Tells what is different from look to look, until disposed. */
  function watch(onUpdate: (uri: string) => void, onList: () => void): Disposable {
    let known: ReadonlyMap<string, string> | undefined;
    const look = async (): Promise<void> => {
      if (!isOpen()) return;
      const now = await pinned();
      const before = known ?? now;
      known = now;
      for (const [label, version] of now) if (before.get(label) !== version) onUpdate(toUri(label));
      if ([...before.keys()].join("\n") !== [...now.keys()].join("\n")) onList();
    };
    const safely = (): void => void look().catch((error: unknown) => warn(`pinned blocks: ${messageOf(error)}`));
    safely();
    const timer = setInterval(safely, lookMs).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  return {
    ...resources,
    async list(cursor, call) {
      const page = await resources.list(cursor, call);
      if (cursor !== undefined) return page;
      return { ...page, items: [...[...(await pinned()).keys()].map(toCard), ...page.items] };
    },
    async read(uri, call) {
      if (!uri.startsWith(BLOCK)) return resources.read(uri, call);
      const { label, offset } = parse(uri);
      if (!(await pinned()).has(label)) return undefined;
      const verdict = await policy.judge({ action: "read", target: `${BLOCK}${label}` }, call.actor);
      if (verdict.decision !== "allow") {
        throw new IkigaiError("permission_denied", `${label} may not be read: ${decidingReason(verdict)}`);
      }
      return partsOf(await blocks.text(label, call.actor), label, offset);
    },
    onUpdate(listener) {
      const own = watch(listener, () => {});
      const others = resources.onUpdate?.(listener);
      return both(own, others);
    },
    onListChange(listener) {
      const own = watch(() => {}, listener);
      return both(own, resources.onListChange?.(listener));
    },
  };
}

function both(first: Disposable, second: Disposable | undefined): Disposable {
  return {
    [Symbol.dispose]() {
      first[Symbol.dispose]();
      second?.[Symbol.dispose]();
    },
  };
}

function toUri(label: string, offset = 0): string {
  const uri = `${BLOCK}${encodeURIComponent(label)}`;
  return offset === 0 ? uri : `${uri}?offset=${offset}`;
}

function toCard(label: string): ResourceCard {
  return { uri: toUri(label), name: label, description: "A pinned block", mimeType: "text/markdown" };
}

function parse(uri: string): { readonly label: string; readonly offset: number } {
  const found = /^block:\/\/\/([^?]+)(?:\?offset=(\d{1,15}))?$/.exec(uri);
  try {
    if (found?.[1] !== undefined) return { label: decodeURIComponent(found[1]), offset: Number(found[2] ?? 0) };
  } catch {
    // A percent sign that is followed by no code: no resource either.
  }
  throw new IkigaiError("invalid_input", `${JSON.stringify(uri.slice(0, 200))} is no resource`, {
    hint: "Use a URI as the list of resources gives it.",
  });
}

function partsOf(text: string, label: string, offset: number): readonly ResourcePart[] {
  let end = Math.min(text.length, offset + MAX_CHARS);
  // A character of two halves stays whole.
  if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
  const part = { uri: toUri(label, offset), mimeType: "text/markdown", text: text.slice(offset, end) };
  if (end >= text.length) return [part];
  const uri = toUri(label, end);
  const said = `[Characters ${offset} to ${end} of ${text.length} were shown. Read ${uri} to go on.]`;
  return [part, { uri, mimeType: "text/plain", text: said }];
}
