import { IkigaiError } from "../errors.ts";
import type { TextReader } from "./source.ts";

/**
 * A reader that is never waited for longer than `ms` at once: for a text, or for the next entry of a list.
 *
 * Contract: what comes later is `timeout`, which names `mount`; a list that goes on is not cut, however long it takes as
 * a whole, and the time that the caller takes between two entries does not count.
 */
export function answersWithin(
  reader: Pick<TextReader, "list" | "read">,
  mount: string,
  ms: number,
): Pick<TextReader, "list" | "read"> {
  return {
    read: (path, options) => settleWithin(reader.read(path, options), mount, ms),
    async *list(prefix, options) {
      const entries = reader.list(prefix, options)[Symbol.asyncIterator]();
      let isOver = false;
      try {
        for (;;) {
          // A source that is silent is not asked to end either: it would be waited for again.
          isOver = true;
          const { done, value } = await settleWithin(entries.next(), mount, ms);
          if (done === true) return;
          isOver = false;
          yield value;
        }
      } finally {
        if (!isOver) await settleWithin(Promise.resolve(entries.return?.()), mount, ms);
      }
    },
  };
}

function settleWithin<T>(work: Promise<T>, mount: string, ms: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(
          new IkigaiError("timeout", `${mount}:/// did not answer within ${ms} ms`, {
            hint: "Try again, or look at its state with the source tool.",
          }),
        ),
      ms,
    );
    const settle = <V>(how: (value: V) => void) => {
      return (value: V): void => {
        clearTimeout(timer);
        how(value);
      };
    };
    work.then(settle(resolve), settle(reject));
  });
}
