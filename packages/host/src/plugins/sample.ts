import { setTimeout as delay } from "node:timers/promises";
import {
  type TextCapability,
  type TextReader,
  type DataBlock,
  type DataBlockDefinition,
  IkigaiError,
  type SourceHost,
} from "@ikigai/core";
import type { AnySourceDefinition } from "@ikigai/core/host";

/** A source of text that can only be read, and the documents it is known to hold. */
export interface Sample {
  readonly source: DataBlockDefinition<unknown, "history">;
  readonly seed: Readonly<Record<string, string>>;
}

const MAX_DOCUMENTS = 100;
/** Documents of a place that are listed at most. */
const MAX_LISTED = 100_000;
const HARMLESS: ReadonlySet<string> = new Set(["history"]);

const TIMEOUT_MS = 30_000;

/**
 * A view of somebody's real source that a suite can be run against: it has no way to change anything, and shows some of
 * the documents that are there.
 *
 * Contract: nothing is written; documents that cannot be read are not part of the sample. Rejects with `timeout` when the
 * source has not shown its documents within `timeoutMs`.
 */
export async function takeSample(
  definition: AnySourceDefinition,
  options: unknown,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Sample> {
  const block = definition as DataBlockDefinition<unknown, TextCapability>;
  const stopping = new AbortController();
  const host: SourceHost = { mount: "check", signal: stopping.signal, services: {}, warn: () => {} };
  const found = new Map<string, string>();
  const others = new Set<string>();
  const checked = await definition.options["~standard"].validate(options);
  const opened: TextReader = await block.open(checked.issues === undefined ? checked.value : options, host);
  const look = async (): Promise<void> => {
    for await (const { path } of opened.list("")) {
      const content = found.size < MAX_DOCUMENTS ? await opened.read(path).catch(() => undefined) : undefined;
      if (content === undefined) others.add(path);
      else found.set(path, content.text);
      if (others.size === MAX_LISTED) break;
    }
  };
  try {
    await within(timeoutMs, `Reading some documents of "${definition.name}"`, look());
  } finally {
    stopping.abort();
    await within(timeoutMs, `Closing "${definition.name}"`, Promise.resolve(opened.close?.())).catch(() => {});
  }
  if (found.size === 0) {
    throw new IkigaiError("unavailable", `Source "${definition.name}" holds no document that could be checked`, {
      hint: "Put a document there, or pass --scratch with options of a throwaway place.",
    });
  }
  const seed = Object.fromEntries(found);
  const capabilities = block.capabilities.filter((one) => HARMLESS.has(one)) as "history"[];
  const source = {
    ...block,
    capabilities,
    open: async (...given: Parameters<typeof block.open>) => view(await block.open(...given), seed, others),
  };
  return { source, seed };
}

function view(
  opened: TextReader & { history?: unknown },
  seed: Readonly<Record<string, string>>,
  others: ReadonlySet<string>,
): DataBlock<"history"> {
  return {
    read: async (path, call) => (others.has(path) ? undefined : opened.read(path, call)),
    async *list(prefix, call) {
      for await (const entry of opened.list(prefix, call)) if (Object.hasOwn(seed, entry.path)) yield entry;
    },
    ...(typeof opened.history === "function" && { history: opened.history.bind(opened) }),
    ...(opened.close !== undefined && { close: () => opened.close?.() ?? Promise.resolve() }),
  } as DataBlock<"history">;
}

async function within(ms: number, what: string, work: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  const late = delay(ms, undefined, { signal: waiting.signal }).then(() => {
    throw new IkigaiError("timeout", `${what} did not finish within ${ms} ms`, { hint: "Ask the plugin's author." });
  });
  late.catch(() => {});
  await Promise.race([work, late]).finally(() => waiting.abort());
}
