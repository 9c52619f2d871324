import assert from "node:assert/strict";
import { type BlockCase, textOf } from "./block-case.ts";
import { startWatch } from "./block-watch-cases.ts";
import { CONTESTS } from "./contend.ts";
import type { Contest } from "./other-process.ts";

const TIMES = 75;
const CONTESTED = 40;

/** Writing, by two processes at once. A lock that only one process knows of does not help here. */
export const processCases: readonly BlockCase[] = [
  {
    id: "block/process/sees-the-other",
    needs: ["write"],
    long: true,
    async run({ open, openElsewhere, path }) {
      const [source, other] = [await open(), await openElsewhere()];
      for (const text of ["one", "two"]) {
        const here = await source.write(path("a.md"), `${text} from here`);
        assert.deepEqual(await other.read(path("a.md")), here);
        const there = await other.write(path("a.md"), `${text} from there`, { expected: here.version });
        assert.deepEqual(await source.read(path("a.md")), there);
        const again = await other.write(path("a.md"), `${text} from there again`, { expected: there.version });
        assert.deepEqual(await source.read(path("a.md")), again);
      }
    },
  },
  {
    id: "block/process/no-update-is-lost",
    needs: ["write"],
    long: true,
    async run({ open, openElsewhere, path }) {
      const [source, other] = [await open(), await openElsewhere()];
      await contest(other.count(path("count.md"), TIMES), () => CONTESTS.count(source, path("count.md"), TIMES));
      const total = await textOf(source, path("count.md"));
      assert.equal(total, String(2 * TIMES), `${2 * TIMES} increments were acknowledged, ${total} are there`);
    },
  },
  {
    id: "block/process/one-creator",
    needs: ["write"],
    long: true,
    async run({ open, openElsewhere, path }) {
      const [source, other] = [await open(), await openElsewhere()];
      const paths = Array.from({ length: CONTESTED }, (_, n) => path(`${n}.md`));
      const [there, here] = await contest(other.create(paths, "another process"), () =>
        CONTESTS.create(source, paths, "this process"),
      );
      for (const one of paths) {
        const [made, text] = [[here.includes(one), there.includes(one)], await textOf(source, one)];
        assert.notEqual(made[0], made[1], `"${one}" has one creator`);
        assert.equal(text, made[0] === true ? "by this process" : "by another process");
      }
    },
  },
  {
    id: "block/process/one-remover",
    needs: ["write", "remove"],
    long: true,
    async run({ open, openElsewhere, path }) {
      const [source, other] = [await open(), await openElsewhere()];
      const versions: Record<string, string> = {};
      for (let n = 0; n < CONTESTED; n++)
        versions[path(`${n}.md`)] = (await source.write(path(`${n}.md`), "x")).version;
      const [there, here] = await contest(other.remove(versions, "another process"), () =>
        CONTESTS.remove(source, versions, "this process"),
      );
      for (const one of Object.keys(versions)) {
        assert.notEqual(here.includes(one), there.includes(one), `"${one}" has one remover`);
      }
    },
  },
  {
    id: "block/process/watch-sees-the-other",
    needs: ["write", "watch"],
    long: true,
    async run({ open, openElsewhere, path }) {
      const [source, other] = [await open(), await openElsewhere()];
      using watch = startWatch(source);
      for (const name of ["a.md", "b.md"]) {
        await other.write(path(name), "from there");
        assert.deepEqual(await watch.next(path(name)), { path: path(name), change: "created" });
      }
    },
  },
];

/** Both do the same at the same time: this process begins when the other is at it. */
async function contest<T>(
  { started, done }: Contest<T>,
  here: () => Promise<T>,
): Promise<readonly [there: T, here: T]> {
  done.catch(() => {});
  await started;
  return Promise.all([done, here()]);
}
