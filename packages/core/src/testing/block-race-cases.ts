import assert from "node:assert/strict";
import { IkigaiError } from "../errors.ts";
import { type AnyBlock, type BlockBench, type BlockCase, textOf, winners } from "./block-case.ts";
import { nextTurn } from "./suite.ts";

const ROUNDS = 5;
const WRITERS = [1, 2, 3, 4, 5, 6];

/** Writing, by many at once. The storage decides who wins. */
export const raceCases: readonly BlockCase[] = [
  {
    id: "block/race/one-winner",
    needs: ["write"],
    run: (bench) => raceForVersion(bench, (source) => [source]),
  },
  {
    id: "block/race/one-winner-between-instances",
    needs: ["write"],
    run: (bench) => raceForVersion(bench, (source, other) => [source, other]),
  },
  {
    id: "block/race/one-creator-between-instances",
    needs: ["write"],
    async run({ open, path: at }) {
      const sources = [await open(), await open()];
      for (let round = 0; round < ROUNDS; round++) {
        const path = at(`new-${round}.md`);
        await assertOneWinner(sources, path, (source, text) => source.write(path, text, { expected: null }));
      }
    },
  },
  {
    id: "block/race/different-paths-all-survive",
    needs: ["write"],
    async run({ open, path: at }) {
      const sources = [await open(), await open()] as const;
      await Promise.all(WRITERS.map((n) => sources[n % 2 === 0 ? 0 : 1].write(at(`${n}.md`), `text ${n}`)));
      for (const n of WRITERS) assert.equal(await textOf(sources[0], at(`${n}.md`)), `text ${n}`);
    },
  },
  {
    id: "block/race/text-is-never-half-seen",
    needs: ["write"],
    async run({ open, path: at, ended }) {
      const [writer, reader] = [await open(), await open()];
      const texts = [1, 2, 3, 4].map((n) => String(n).repeat(50_000 * n));
      await writer.write(at("a.md"), texts[0] as string);
      const writing = new AbortController();
      const written = (async () => {
        for (const text of [...texts, ...texts]) await writer.write(at("a.md"), text);
      })().finally(() => writing.abort());
      while (!writing.signal.aborted) {
        const text = await textOf(reader, at("a.md"));
        assert.ok(
          text !== undefined && texts.includes(text),
          `saw ${text?.length ?? "no"} characters of a longer text`,
        );
        await nextTurn(ended);
      }
      await written;
    },
  },
  {
    id: "block/race/one-remover",
    needs: ["write", "remove"],
    async run({ open, path: at }) {
      const sources = [await open(), await open()] as const;
      for (let round = 0; round < ROUNDS; round++) {
        const { version } = await sources[0].write(at("a.md"), `round ${round}`);
        const attempts = WRITERS.map((n) => sources[n % 2 === 0 ? 0 : 1].remove(at("a.md"), { expected: version }));
        const { won, lost } = await winners(attempts);
        assert.equal(won.length, 1, `${won.length} removed the same version`);
        for (const error of lost) assertLost(error, "conflict", "not_found");
      }
    },
  },
  {
    id: "block/race/writer-or-remover",
    needs: ["write", "remove"],
    async run({ open, path: at }) {
      const [source, other] = [await open(), await open()];
      for (let round = 0; round < ROUNDS; round++) {
        const { version } = await source.write(at("a.md"), `round ${round}`);
        const { won, lost } = await winners<unknown>([
          source.write(at("a.md"), "changed", { expected: version }),
          other.remove(at("a.md"), { expected: version }),
        ]);
        assert.equal(won.length, 1, "one of them comes through");
        for (const error of lost) assertLost(error, "conflict", "not_found");
      }
    },
  },
];

async function raceForVersion(
  { open, path: at }: BlockBench,
  choose: (source: AnyBlock, other: AnyBlock) => readonly AnyBlock[],
): Promise<void> {
  const [source, other] = [await open(), await open()];
  for (let round = 0; round < ROUNDS; round++) {
    const { version } = await source.write(at("a.md"), `base of round ${round}`);
    const write = (by: AnyBlock, text: string) => by.write(at("a.md"), `${round}: ${text}`, { expected: version });
    await assertOneWinner(choose(source, other), at("a.md"), write);
  }
}

async function assertOneWinner(
  sources: readonly AnyBlock[],
  path: string,
  write: (source: AnyBlock, text: string) => Promise<{ readonly text: string; readonly version: string }>,
): Promise<void> {
  const attempts = WRITERS.map((n) => write(sources[n % sources.length] as AnyBlock, `writer ${n}`));
  const { won, lost } = await winners(attempts);
  assert.equal(won.length, 1, `${won.length} of ${WRITERS.length} writers of one version were told that they won`);
  for (const error of lost) assertLost(error, "conflict");
  for (const source of sources) assert.deepEqual(await source.read(path), won[0], "what the winner wrote is there");
}

function assertLost(error: unknown, ...codes: readonly ("conflict" | "not_found")[]): void {
  assert.ok(
    codes.some((code) => IkigaiError.is(error, code)),
    `a loser is told ${codes.join(" or ")}, not ${String(error)}`,
  );
}
