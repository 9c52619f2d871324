import { fileURLToPath } from "node:url";
import { IkigaiError } from "@ikigai/core";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Database, MigrationSet, Transaction } from "./index.ts";
import { startChild, testEngines } from "./testing/index.ts";

const CLIENT = fileURLToPath(new URL("../fixtures/client.mjs", import.meta.url));
const NOTE: MigrationSet = {
  name: "note",
  migrations: [{ id: "0001", sql: "create table note (id bigint generated always as identity, text text unique)" }],
};
const ADD = "insert into note (text) values ($1)";
const DIVIDE = "select 1 / $1::int";

async function notesOf(database: Database): Promise<string[]> {
  return (await database.query<{ text: string }>("select text from note order by id")).rows.map(({ text }) => text);
}

/** Why `work` failed; it leaves nothing behind, and the only connection can be used again. */
async function failureOf(database: Database, work: (tx: Transaction) => Promise<unknown>): Promise<unknown> {
  const error: unknown = await database.transaction(work, { attempts: 2 }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(await notesOf(database)).toEqual([]);
  return error;
}

describe.each(testEngines())("statements nobody waits for on the $name engine", (engine) => {
  afterAll(() => engine.stop());
  const fresh = (): Promise<Database> => engine.fresh({ sets: [NOTE], maxConnections: 1 });

  test("run in their place among the others", async () => {
    const database = await fresh();
    const seen = await database.transaction(async (tx) => {
      tx.send(ADD, ["one"]);
      tx.send(ADD, ["two"]);
      const { rows } = await tx.query<{ n: number }>("select count(*)::int as n from note");
      tx.send("update note set text = text || '!' where text = $1", ["two"]);
      tx.send(ADD, ["three"]);
      return rows[0]?.n;
    });
    expect(seen).toBe(2);
    expect(await notesOf(database)).toEqual(["one", "two!", "three"]);
  });

  test.each<[string, (tx: Transaction) => Promise<unknown>]>([
    ["the first statement", async (tx) => tx.send(DIVIDE, [0])],
    ["the first, without values", async (tx) => tx.send("select 1 / 0")],
    [
      "the last",
      async (tx) => {
        await tx.query(ADD, ["one"]);
        tx.send(DIVIDE, [0]);
      },
    ],
    [
      "before others",
      async (tx) => {
        await tx.query(ADD, ["one"]);
        tx.send(DIVIDE, [0]);
        tx.send(ADD, ["two"]);
        tx.send("select nothing from nowhere where $1 = 1", [1]);
      },
    ],
    [
      "before one that is waited for",
      async (tx) => {
        tx.send(ADD, ["one"]);
        tx.send(DIVIDE, [0]);
        await tx.query(ADD, ["two"]);
      },
    ],
    [
      "before one whose failure is ignored",
      async (tx) => {
        await tx.query(ADD, ["one"]);
        tx.send(DIVIDE, [0]);
        await tx.query(ADD, ["two"]).catch(() => undefined);
      },
    ],
    [
      "before the work fails by itself",
      async (tx) => {
        await tx.query(ADD, ["one"]);
        tx.send(DIVIDE, [0]);
        throw new IkigaiError("over_budget", "too much");
      },
    ],
  ])("make the transaction fail with their error: %s", async (_, work) => {
    const database = await fresh();
    expect(await failureOf(database, work)).toMatchObject({ code: "internal", cause: { code: "22012" } });
    const keyed = database.transaction(work, { idempotencyKey: "key" });
    await expect(keyed).rejects.toMatchObject({ cause: { code: "22012" } });
    expect((await database.query("select from transaction_key")).count).toBe(0);
  });

  test("are taken back when the work fails behind them", async () => {
    const database = await fresh();
    const failure = new IkigaiError("over_budget", "too much");
    const first = failureOf(database, async (tx) => {
      tx.send(ADD, ["one"]);
      throw failure;
    });
    expect(await first).toBe(failure);
    const later = failureOf(database, async (tx) => {
      await tx.query(ADD, ["one"]);
      tx.send(ADD, ["two"]);
      throw failure;
    });
    expect(await later).toBe(failure);
  });

  test("are taken back when one cannot even be sent", async () => {
    const database = await fresh();
    const ring: { self?: unknown } = {};
    ring.self = ring;
    for (const text of [undefined, "one"]) {
      const error = failureOf(database, async (tx) => {
        if (text !== undefined) await tx.query(ADD, [text]);
        tx.send(ADD, [ring]);
      });
      expect(await error).toMatchObject({ message: expect.stringContaining("circular") });
    }
  });

  test("are not carried out by themselves where the transaction did not begin", async () => {
    const database = await fresh();
    const works: ((tx: Transaction) => Promise<unknown>)[] = [
      async (tx) => tx.send(ADD, ["one"]),
      async (tx) => Promise.allSettled([tx.query(ADD, ["one"]), tx.query(ADD, ["two"])]),
      async (tx) => {
        await tx.query(ADD, ["one"]).catch(() => undefined);
        tx.send(ADD, ["two"]);
        await tx.query("delete from note").catch(() => undefined);
      },
      async (tx) => {
        await tx.query("select 1").catch(() => undefined);
        tx.send(ADD, ["one"]);
      },
      async () => "nothing but the key",
    ];
    for (const work of works) {
      const options = { isolation: "nonsense" as "serializable", idempotencyKey: "key" };
      await expect(database.transaction(work, options)).rejects.toMatchObject({ code: "internal" });
      expect(await notesOf(database)).toEqual([]);
      expect((await database.query("select from transaction_key")).count).toBe(0);
    }
  });

  test("are not sent once it is aborted", async () => {
    const database = await fresh();
    const abort = new AbortController();
    const aborted = database.transaction(
      async (tx) => {
        await tx.query(ADD, ["one"]);
        tx.send(ADD, ["two"]);
        abort.abort();
        tx.send(ADD, ["three"]);
      },
      { signal: abort.signal },
    );
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    expect(await notesOf(database)).toEqual([]);
  });

  test("are refused when the transaction has ended", async () => {
    const database = await fresh();
    const leaked = await database.transaction(async (tx) => tx);
    expect(() => leaked.send(ADD, ["late"])).toThrow("already ended");
  });

  test("run again with the rest after a collision", async () => {
    const database = await engine.fresh({ sets: [NOTE] });
    await database.query(ADD, ["0"]);
    const add = async (tx: Transaction): Promise<void> => {
      const { rows } = await tx.query<{ text: string }>("select text from note");
      tx.send("update note set text = $1", [String(Number(rows[0]?.text) + 1)]);
    };
    const options = { isolation: "serializable", attempts: 50 } as const;
    await Promise.all(Array.from({ length: 8 }, () => database.transaction(add, options)));
    expect(await notesOf(database)).toEqual(["8"]);
  });

  test("happen once for one key, whoever asks at the same time", async () => {
    const database = await engine.fresh({ sets: [NOTE] });
    const asked = Array.from({ length: 8 }, (_, index) =>
      database.transaction(
        async (tx) => {
          tx.send("insert into note (text) values ($1)", [`by ${index}`]);
          return `by ${index}`;
        },
        { idempotencyKey: "once" },
      ),
    );
    const results = new Set(await Promise.all(asked));
    expect([...results]).toEqual(await notesOf(database));
  });

  test("leave what the same statements leave when each is waited for", async () => {
    const step = constantFrom("add", "twice", "fail", "throw", "read");
    await assert(
      asyncProperty(array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const ends = [];
        for (const waits of [true, false]) {
          const database = await fresh();
          const work = async (tx: Transaction): Promise<void> => {
            for (const [index, kind] of steps.entries()) {
              if (kind === "throw") throw new IkigaiError("over_budget", `at ${index}`);
              const statement = {
                add: [ADD, [`note ${index}`]],
                twice: [ADD, ["the same"]],
                fail: [DIVIDE, [0]],
                read: ["select count(*) from note where text <> $1", [""]],
              } as const;
              const [text, values] = statement[kind];
              if (waits || kind === "read") await tx.query(text, values);
              else tx.send(text, values);
            }
          };
          const end = await database.transaction(work).then(() => "committed", String);
          ends.push({ end, notes: await notesOf(database) });
          await database.close();
        }
        expect(ends[1]).toEqual(ends[0]);
      }),
      { numRuns: 12 },
    );
  });

  test("of four processes are all there", async () => {
    const database = await engine.fresh({ sets: [NOTE] });
    await database.query(ADD, ["0"]);
    const children = [1, 2, 3, 4].map((name) =>
      startChild(CLIENT, "count", engine.optionsOf(database), { name: String(name), times: 40 }),
    );
    expect(await Promise.all(children.map((child) => child.next()))).toEqual(["done", "done", "done", "done"]);
    const notes = await notesOf(database);
    expect(notes[0]).toBe("160");
    expect(new Set(notes).size).toBe(161);
    await Promise.all(children.map(({ ended }) => ended));
  });
});
