import { type TextFeatures, type TextReader, IkigaiError, messageOf } from "@ikigai/core";

/** One link's text, as it was and as it becomes. */
export interface LinkChange {
  readonly kind: "wikilink" | "markdown" | "property";
  readonly raw: string;
  readonly wanted: string;
}

/** Another note whose links change. */
export interface IntentFile {
  readonly uri: string;
  readonly before: string;
  readonly after: string;
  readonly version: string;
  readonly links: readonly LinkChange[];
}

/** All that a rename is going to write, put down before the first write. Plain JSON. */
export interface RenameIntent {
  readonly id: string;
  readonly kind: "rename_note";
  readonly at: string;
  readonly from: { readonly uri: string; readonly version: string; readonly text: string };
  readonly to: { readonly uri: string; readonly text: string; readonly links: readonly LinkChange[] };
  readonly files: readonly IntentFile[];
}

/**
 * Where intents outlive the process.
 *
 * Contract: once `save` resolves, `list` gives the intent until `remove`, also after a crash.
 */
export interface IntentStore {
  save(intent: RenameIntent): Promise<void>;
  list(): Promise<readonly RenameIntent[]>;
  /** Contract: removing what is absent is no error. */
  remove(id: string): Promise<void>;
}

/** Keeps intents in memory: enough against a failing write, not against a crash. */
export function createMemoryIntentStore(): IntentStore {
  const intents = new Map<string, RenameIntent>();
  return {
    save: async (intent) => void intents.set(intent.id, structuredClone(intent)),
    list: async () => [...intents.values()],
    remove: async (id) => void intents.delete(id),
  };
}

/** Keeps intents as text in a source, below `prefix`, so that they are as durable as its other text. */
export function createSourceIntentStore(
  source: TextReader & Pick<TextFeatures, "write" | "remove">,
  prefix: string,
): IntentStore {
  const pathOf = (id: string): string => `${prefix}${id}.json`;
  return {
    async save(intent) {
      await source.write(pathOf(intent.id), `${JSON.stringify(intent)}\n`, { expected: null });
    },
    async list() {
      const intents: RenameIntent[] = [];
      for await (const { path } of source.list(prefix)) {
        const content = await source.read(path);
        if (content !== undefined && path.endsWith(".json")) intents.push(parseIntent(path, content.text));
      }
      return intents;
    },
    async remove(id) {
      await source.remove(pathOf(id)).catch((error: unknown) => {
        if (!IkigaiError.is(error, "not_found")) throw error;
      });
    },
  };
}

function parseIntent(path: string, text: string): RenameIntent {
  try {
    return JSON.parse(text) as RenameIntent;
  } catch (cause) {
    throw new IkigaiError("internal", `${path}, the record of an unfinished rename, is damaged: ${messageOf(cause)}`, {
      cause,
      hint: "Move the file away, then look for links that lead nowhere: ikigai notes check.",
    });
  }
}
