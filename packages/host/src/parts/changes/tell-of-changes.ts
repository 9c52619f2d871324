import { overrideSource, type Route } from "@ikigai/core/host";

type Source = Route["source"];

/** A source that tells of each change that is made through it, once it is made. */
export function tellOfChanges(source: Source, changed: (path: string) => void): Source {
  const { write, remove } = source;
  return overrideSource(source, {
    ...(write !== undefined && {
      write: (path, text, call) => write.call(source, path, text, call).finally(() => changed(path)),
    }),
    ...(remove !== undefined && {
      remove: (path, call) => remove.call(source, path, call).finally(() => changed(path)),
    }),
  });
}
