import assert from "node:assert/strict";
import type { TextChange } from "../source/source.ts";
import { type AnyBlock, type BlockCase, entriesOf } from "./block-case.ts";

/** Watching. A case waits for what must come; when it does not, the case's time runs out. */
export const watchCases: readonly BlockCase[] = [
  {
    id: "block/watch/reports-create",
    needs: ["write", "watch"],
    async run({ open, path }) {
      const source = await open();
      await source.write(path("old.md"), "was there before");
      using watch = startWatch(source);
      await source.write(path("a.md"), "new");
      assert.deepEqual(await watch.next(path("a.md")), { path: path("a.md"), change: "created" });
      assert.ok(!watch.seen.some((one) => one.path === path("old.md")), "what happened before is not reported");
    },
  },
  {
    id: "block/watch/reports-update",
    needs: ["write", "watch"],
    async run({ open, path }) {
      const source = await open();
      await source.write(path("a.md"), "one");
      using watch = startWatch(source);
      await source.write(path("a.md"), "two");
      assert.deepEqual(await watch.next(path("a.md")), { path: path("a.md"), change: "updated" });
    },
  },
  {
    id: "block/watch/reports-remove",
    needs: ["write", "remove", "watch"],
    async run({ open, path }) {
      const source = await open();
      await source.write(path("a.md"), "one");
      using watch = startWatch(source);
      await source.remove(path("a.md"));
      assert.deepEqual(await watch.next(path("a.md")), { path: path("a.md"), change: "removed" });
    },
  },
  {
    id: "block/watch/reports-every-path",
    needs: ["write", "watch"],
    async run({ open, path }) {
      const source = await open();
      using watch = startWatch(source);
      const paths = ["a.md", "b/c.md", "d/e/f.md", "🧠.md"].map(path);
      for (const one of paths) await source.write(one, one);
      for (const one of paths) assert.deepEqual(await watch.next(one), { path: one, change: "created" });
    },
  },
  {
    id: "block/watch/sees-other-instances",
    needs: ["write", "watch"],
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      using watch = startWatch(source);
      await other.write(path("a.md"), "by another");
      assert.deepEqual(await watch.next(path("a.md")), { path: path("a.md"), change: "created" });
    },
  },
  {
    id: "block/watch/reading-is-no-change",
    needs: ["write", "watch"],
    async run({ open, path }) {
      const source = await open();
      const { version } = await source.write(path("a.md"), "one");
      using watch = startWatch(source);
      await source.read(path("a.md"));
      await entriesOf(source, "");
      await source.write(path("a.md"), "refused", { expected: `not ${version}` }).catch(() => {});
      await source.write(path("z.md"), "the only change");
      await watch.next(path("z.md"));
      assert.deepEqual(watch.seen, [{ path: path("z.md"), change: "created" }]);
    },
  },
  {
    id: "block/watch/busy-reader-misses-no-path",
    needs: ["write", "watch"],
    async run({ open, path, ended }) {
      const source = await open();
      const paths = Array.from({ length: 30 }, (_, n) => path(`many/${n}.md`));
      const aborting = new AbortController();
      const signal = AbortSignal.any([aborting.signal, ended]);
      const changes = source.watch({ signal })[Symbol.asyncIterator]();
      const first = changes.next();
      for (const one of paths) await source.write(one, one);
      const seen = new Set<string>();
      for (let step = await first; step.done !== true; step = await changes.next()) {
        seen.add(step.value.path);
        if (paths.every((one) => seen.has(one))) break;
      }
      aborting.abort();
      assert.deepEqual([...seen].toSorted(), paths.toSorted());
    },
  },
  {
    id: "block/watch/reports-each-step",
    needs: ["write", "remove", "watch"],
    async run({ open, path }) {
      const source = await open();
      const a = path("a.md");
      using watch = startWatch(source);
      const wanted: TextChange["change"][] = [];
      const step = async (change: TextChange["change"], work: Promise<unknown>): Promise<void> => {
        await work;
        wanted.push(change);
        await watch.reach(a, wanted.length);
        assert.deepEqual(
          watch.seen.filter((one) => one.path === a).map((one) => one.change),
          wanted,
        );
      };
      // Each step follows the report of the one before, so none may be taken for a part of it.
      for (const round of [1, 2]) {
        await step("created", source.write(a, `${round}`));
        for (const text of ["two", "three", "four"]) await step("updated", source.write(a, `${text} of ${round}`));
        await step("removed", source.remove(a));
      }
    },
  },
  {
    id: "block/watch/aborted-change-is-no-change",
    needs: ["write", "watch"],
    async run({ open, path }) {
      const source = await open();
      const { version } = await source.write(path("a.md"), "one");
      using watch = startWatch(source);
      const signal = AbortSignal.abort();
      await source.write(path("a.md"), "aborted", { signal }).catch(() => {});
      await source.write(path("b.md"), "aborted", { signal, expected: null }).catch(() => {});
      await source.remove?.(path("a.md"), { signal }).catch(() => {});
      await source.remove?.(path("a.md"), { expected: `not ${version}` }).catch(() => {});
      await source.remove?.(path("absent.md")).catch(() => {});
      await source.write(path("z.md"), "the only change");
      await watch.next(path("z.md"));
      assert.deepEqual(watch.seen, [{ path: path("z.md"), change: "created" }]);
    },
  },
  {
    id: "block/watch/may-be-left",
    needs: ["write", "watch"],
    async run({ open, path, ended }) {
      const source = await open();
      const leaving = source.watch({ signal: ended })[Symbol.asyncIterator]();
      const first = leaving.next();
      await source.write(path("a.md"), "one");
      assert.equal((await first).value?.path, path("a.md"));
      await leaving.return?.();
      using watch = startWatch(source);
      await source.write(path("b.md"), "two");
      assert.deepEqual(await watch.next(path("b.md")), { path: path("b.md"), change: "created" });
    },
  },
  {
    id: "block/watch/outlives-other-instances",
    needs: ["write", "watch"],
    async run({ open, path }) {
      const [source, other] = [await open(), await open()];
      using watch = startWatch(source);
      using _ = startWatch(other);
      await other.close?.();
      await source.write(path("a.md"), "one");
      assert.deepEqual(await watch.next(path("a.md")), { path: path("a.md"), change: "created" });
    },
  },
  {
    id: "block/watch/watchers-are-independent",
    needs: ["write", "watch"],
    async run({ open, path }) {
      const source = await open();
      using first = startWatch(source);
      using second = startWatch(source);
      await source.write(path("a.md"), "for both");
      await first.next(path("a.md"));
      await second.next(path("a.md"));
      await first.stop();
      await source.write(path("b.md"), "for one");
      assert.deepEqual(await second.next(path("b.md")), { path: path("b.md"), change: "created" });
    },
  },
  {
    id: "block/watch/ends-on-abort",
    needs: ["watch"],
    async run({ open }) {
      using watch = startWatch(await open());
      await watch.stop();
    },
  },
  {
    id: "block/watch/aborted-signal-ends",
    needs: ["watch"],
    async run({ open }) {
      const source = await open();
      for await (const change of source.watch({ signal: AbortSignal.abort() })) assert.fail(JSON.stringify(change));
    },
  },
];

export interface Watch extends Disposable {
  /** Everything reported so far, in order. */
  readonly seen: readonly TextChange[];
  /** The first change of `path`, once it is reported. */
  next(path: string): Promise<TextChange>;
  /** Resolves once `count` changes of `path` were reported. */
  reach(path: string, count: number): Promise<void>;
  /** Aborts, and resolves when the watch has ended. Rejects when it throws. */
  stop(): Promise<void>;
}

/** Watches at once: the first step is taken before this returns. */
export function startWatch(source: AnyBlock): Watch {
  const aborting = new AbortController();
  const seen: TextChange[] = [];
  const waiting = new Map<string, (change: TextChange) => void>();
  let step = (): void => {};
  const done = (async () => {
    for await (const change of source.watch({ signal: aborting.signal })) {
      seen.push(change);
      waiting.get(change.path)?.(change);
      step();
    }
    if (!aborting.signal.aborted) assert.fail("the watch ended by itself");
  })();
  done.catch(() => {});
  return {
    seen,
    next(path) {
      const known = seen.find((change) => change.path === path);
      const coming = new Promise<TextChange>((resolve) => waiting.set(path, resolve));
      return known === undefined
        ? Promise.race([coming, done.then(() => assert.fail("the watch ended"))])
        : Promise.resolve(known);
    },
    async reach(path, count) {
      while (seen.filter((one) => one.path === path).length < count) {
        const more = new Promise<void>((resolve) => (step = resolve));
        await Promise.race([more, done.then(() => assert.fail("the watch ended"))]);
      }
    },
    async stop() {
      aborting.abort();
      await done;
    },
    [Symbol.dispose]: () => aborting.abort(),
  };
}
