import { formatAddress, parsePrefix } from "../address.ts";
import type { Action, Effect } from "../policy/policy.ts";
import type { TextCapability, TextFeatures, TextReader, DataBlock, DataBlockDefinition } from "../source/source.ts";

/** One thing that was done to a source. */
export interface Touch {
  readonly action: Extract<Action, "read" | "create" | "update" | "delete">;
  /** A path, or for a listing the prefix. */
  readonly path: string;
}

/** A source that writes down what is done to it. */
export interface RecordingSource<Options, C extends TextCapability> {
  readonly definition: DataBlockDefinition<Options, C>;
  /** Every touch of every instance, attempts that failed included, oldest first. */
  readonly touches: readonly Touch[];
  /** Takes the touches so far and starts again. */
  take(): readonly Touch[];
}

/** Wraps `definition`, to show what a tool touches. */
export function recordingSource<Options, C extends TextCapability>(
  definition: DataBlockDefinition<Options, C>,
): RecordingSource<Options, C> {
  const touches: Touch[] = [];
  const record = (action: Touch["action"], path: string): void => void touches.push({ action, path });
  return {
    touches,
    take: () => touches.splice(0),
    definition: {
      ...definition,
      async open(options, host) {
        const inner = await definition.open(options, host);
        return recorded(inner, record) as DataBlock<C>;
      },
    },
  };
}

function recorded(
  inner: TextReader & Partial<TextFeatures>,
  record: (action: Touch["action"], path: string) => void,
): TextReader & Partial<TextFeatures> {
  const { write, remove, watch, history } = inner;
  return {
    ...inner,
    read(path, options) {
      record("read", path);
      return inner.read(path, options);
    },
    list(prefix, options) {
      record("read", prefix);
      return inner.list(prefix, options);
    },
    ...(write && {
      async write(path, text, options) {
        const exists = (await inner.read(path)) !== undefined;
        record(exists ? "update" : "create", path);
        return write.call(inner, path, text, options);
      },
    }),
    ...(remove && {
      remove(path, options) {
        record("delete", path);
        return remove.call(inner, path, options);
      },
    }),
    ...(watch && {
      watch(options) {
        record("read", "");
        return watch.call(inner, options);
      },
    }),
    ...(history && {
      history(path, options) {
        record("read", path);
        return history.call(inner, path, options);
      },
    }),
  };
}

/** Which declared actions cover a touch. Whoever may change a text may read it; to append is to create or to update. */
const COVERED_BY: Readonly<Record<Touch["action"], readonly Action[]>> = {
  read: ["read", "create", "append", "update", "delete"],
  create: ["create", "append"],
  update: ["update", "append"],
  delete: ["delete"],
};

/**
 * The touches of the mount `mount` that no effect declared. Empty means that the effects did not lie.
 *
 * Contract: an effect on a folder, or on the whole mount, covers the reads below it, and only the reads.
 */
export function undeclaredTouches(
  touches: readonly Touch[],
  effects: readonly Effect[],
  mount: string,
): readonly Touch[] {
  const declared = effects
    .filter(({ target }) => target.startsWith(`${mount}:///`))
    .map(({ action, target }) => ({ action, target: formatAddress(parsePrefix(target, mount)) }));
  return touches.filter(({ action, path }) => {
    const target = formatAddress(parsePrefix(`${mount}:///${path}`, mount));
    return !declared.some((one) => COVERED_BY[action].includes(one.action) && reaches(one.target, target, action));
  });
}

function reaches(declared: string, touched: string, action: Touch["action"]): boolean {
  if (declared === touched) return true;
  const folder = declared.endsWith("/") ? declared : `${declared}/`;
  return action === "read" && touched.startsWith(folder);
}
