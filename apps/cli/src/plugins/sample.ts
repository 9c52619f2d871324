import {
  type AnySourceDefinition,
  type BlockCapability,
  type BlockReader,
  type DataBlock,
  type DataBlockDefinition,
  IkigaiError,
  type SourceHost,
} from "@ikigai/core";

/** A source of text that can only be read, and the documents it is known to hold. */
export interface Sample {
  readonly source: DataBlockDefinition<unknown, "history">;
  readonly seed: Readonly<Record<string, string>>;
}

const MAX_DOCUMENTS = 100;
const HARMLESS: ReadonlySet<string> = new Set(["history"]);

/**
 * A view of somebody's real source that a suite can be run against: it has no way to change anything, and shows some of
 * the documents that are there.
 *
 * Contract: nothing is written; documents that cannot be read are not part of the sample.
 */
export async function takeSample(definition: AnySourceDefinition, options: unknown): Promise<Sample> {
  const block = definition as DataBlockDefinition<unknown, BlockCapability>;
  const stopping = new AbortController();
  const host: SourceHost = { mount: "check", signal: stopping.signal, services: {}, warn: () => {} };
  const found = new Map<string, string>();
  const checked = await definition.options["~standard"].validate(options);
  const opened: BlockReader = await block.open(checked.issues === undefined ? checked.value : options, host);
  try {
    for await (const { path } of opened.list("")) {
      const content = await opened.read(path).catch(() => undefined);
      if (content !== undefined) found.set(path, content.text);
      if (found.size === MAX_DOCUMENTS) break;
    }
  } finally {
    stopping.abort();
    await opened.close?.();
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
    open: async (...given: Parameters<typeof block.open>) => view(await block.open(...given), seed),
  };
  return { source, seed };
}

function view(
  opened: BlockReader & { history?: unknown },
  seed: Readonly<Record<string, string>>,
): DataBlock<"history"> {
  return {
    read: (path, call) => opened.read(path, call),
    async *list(prefix, call) {
      for await (const entry of opened.list(prefix, call)) if (Object.hasOwn(seed, entry.path)) yield entry;
    },
    ...(typeof opened.history === "function" && { history: opened.history.bind(opened) }),
    ...(opened.close !== undefined && { close: () => opened.close?.() ?? Promise.resolve() }),
  } as DataBlock<"history">;
}
