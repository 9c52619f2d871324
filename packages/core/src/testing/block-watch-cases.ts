import assert from "node:assert/strict";
import type { BlockChange } from "../source.ts";
import { type AnyBlock, type BlockCase, entriesOf } from "./block-case.ts";

/** Watching. A case waits for what must come; when it does not, the case's time runs out. */
export const watchCases: readonly BlockCase[] = [
  {
    id: "block/watch/reports-create",
    needs: ["write", "watch"],
    async run({ open }) {
      const source = await open();
      await source.write("old.md", "was there before");
      using watch = startWatch(source);
      await source.write("a.md", "new");
      assert.deepEqual(await watch.next("a.md"), { path: "a.md", change: "created" });
      assert.ok(!watch.seen.some(({ path }) => path === "old.md"), "what happened before is not reported");
    },
  },
  {
    id: "block/watch/reports-update",
    needs: ["write", "watch"],
    async run({ open }) {
      const source = await open();
      await source.write("a.md", "one");
      using watch = startWatch(source);
      await source.write("a.md", "two");
      assert.deepEqual(await watch.next("a.md"), { path: "a.md", change: "updated" });
    },
  },
  {
    id: "block/watch/reports-remove",
    needs: ["write", "remove", "watch"],
    async run({ open }) {
      const source = await open();
      await source.write("a.md", "one");
      using watch = startWatch(source);
      await source.remove("a.md");
      assert.deepEqual(await watch.next("a.md"), { path: "a.md", change: "removed" });
    },
  },
  {
    id: "block/watch/reports-every-path",
    needs: ["write", "watch"],
    async run({ open }) {
      const source = await open();
      using watch = startWatch(source);
      const paths = ["a.md", "b/c.md", "d/e/f.md", "🧠.md"];
      for (const path of paths) await source.write(path, path);
      for (const path of paths) assert.deepEqual(await watch.next(path), { path, change: "created" });
    },
  },
  {
    id: "block/watch/sees-other-instances",
    needs: ["write", "watch"],
    async run({ open }) {
      const [source, other] = [await open(), await open()];
      using watch = startWatch(source);
      await other.write("a.md", "by another");
      assert.deepEqual(await watch.next("a.md"), { path: "a.md", change: "created" });
    },
  },
  {
    id: "block/watch/reading-is-no-change",
    needs: ["write", "watch"],
    async run({ open }) {
      const source = await open();
      const { version } = await source.write("a.md", "one");
      using watch = startWatch(source);
      await source.read("a.md");
      await entriesOf(source, "");
      await source.write("a.md", "refused", { expected: `not ${version}` }).catch(() => {});
      await source.write("z.md", "the only change");
      await watch.next("z.md");
      assert.deepEqual(watch.seen, [{ path: "z.md", change: "created" }]);
    },
  },
  {
    id: "block/watch/watchers-are-independent",
    needs: ["write", "watch"],
    async run({ open }) {
      const source = await open();
      using first = startWatch(source);
      using second = startWatch(source);
      await source.write("a.md", "for both");
      await first.next("a.md");
      await second.next("a.md");
      await first.stop();
      await source.write("b.md", "for one");
      assert.deepEqual(await second.next("b.md"), { path: "b.md", change: "created" });
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

interface Watch extends Disposable {
  /** Everything reported so far, in order. */
  readonly seen: readonly BlockChange[];
  /** The first change of `path`, once it is reported. */
  next(path: string): Promise<BlockChange>;
  /** Aborts, and resolves when the watch has ended. Rejects when it throws. */
  stop(): Promise<void>;
}

/** Watches at once: the first step is taken before this returns. */
function startWatch(source: AnyBlock): Watch {
  const aborting = new AbortController();
  const seen: BlockChange[] = [];
  const waiting = new Map<string, (change: BlockChange) => void>();
  const done = (async () => {
    for await (const change of source.watch({ signal: aborting.signal })) {
      seen.push(change);
      waiting.get(change.path)?.(change);
    }
    if (!aborting.signal.aborted) assert.fail("the watch ended by itself");
  })();
  done.catch(() => {});
  return {
    seen,
    next(path) {
      const known = seen.find((change) => change.path === path);
      const coming = new Promise<BlockChange>((resolve) => waiting.set(path, resolve));
      return known === undefined
        ? Promise.race([coming, done.then(() => assert.fail("the watch ended"))])
        : Promise.resolve(known);
    },
    async stop() {
      aborting.abort();
      await done;
    },
    [Symbol.dispose]: () => aborting.abort(),
  };
}
