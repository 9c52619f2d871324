import { IkigaiError } from "@ikigai/core";
import { afterAll, describe, expect, test } from "vitest";
import { migrate, type MigrationSet, openDatabase, type Sql } from "./index.ts";
import { testEngines } from "./testing/index.ts";

const COUNTER: MigrationSet = {
  name: "counter",
  migrations: [
    { id: "0001", sql: "create table counter (id int primary key, n int not null); insert into counter values (1, 0)" },
  ],
};

async function increment(tx: Sql): Promise<number> {
  const { rows } = await tx.query<{ n: number }>("select n from counter where id = 1 for update");
  const next = (rows[0]?.n ?? 0) + 1;
  await tx.query("update counter set n = $1 where id = 1", [next]);
  return next;
}

describe.each(testEngines())("a database on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("says what it is, without a password", async () => {
    const database = await engine.fresh();
    const status = await database.status();
    expect(status).toMatchObject({ engine: engine.name, schema: database.schema });
    expect(status.durable).toBe(engine.name === "server");
    expect(status.version).toMatch(/^18\./);
    expect(status.bytes).toBeGreaterThan(1_000_000);
    expect(JSON.stringify(status)).not.toContain("secret");
    expect(status.holder === undefined).toBe(engine.name === "server");
  });

  test("keeps schemas apart, statement by statement", async () => {
    const [one, two] = [await engine.fresh({ sets: [COUNTER] }), await engine.fresh({ sets: [COUNTER] })];
    await Promise.all([one.transaction(increment), two.query("select 1"), one.transaction(increment)]);
    expect((await one.query("select n from counter")).rows).toEqual([{ n: 2 }]);
    expect((await two.query("select n from counter")).rows).toEqual([{ n: 0 }]);
  });

  test("gives a transaction the engine's isolation: no update is lost", async () => {
    const database = await engine.fresh({ sets: [COUNTER] });
    await Promise.all(Array.from({ length: 40 }, () => database.transaction(increment)));
    expect((await database.query("select n from counter")).rows).toEqual([{ n: 40 }]);
  });

  test("runs a serializable transaction again when it collided with another", async () => {
    const database = await engine.fresh({ sets: [COUNTER] });
    const add = async (tx: Sql): Promise<void> => {
      const { rows } = await tx.query<{ n: number }>("select n from counter where id = 1");
      await tx.query("update counter set n = $1 where id = 1", [(rows[0]?.n ?? 0) + 1]);
    };
    const options = { isolation: "serializable", attempts: 50 } as const;
    await Promise.all(Array.from({ length: 8 }, () => database.transaction(add, options)));
    expect((await database.query("select n from counter")).rows).toEqual([{ n: 8 }]);
  });

  test("rolls back what a failing transaction did, and passes its error on", async () => {
    const database = await engine.fresh({ sets: [COUNTER] });
    const failure = new IkigaiError("over_budget", "too much");
    const failing = database.transaction(async (tx) => {
      await increment(tx);
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    expect((await database.query("select n from counter")).rows).toEqual([{ n: 0 }]);
  });

  test("does not call a transaction committed whose failed statement was ignored", async () => {
    const database = await engine.fresh({ sets: [COUNTER] });
    const careless = database.transaction(async (tx) => {
      await increment(tx);
      await tx.query("select 1 / 0").catch(() => undefined);
    });
    await expect(careless).rejects.toMatchObject({ code: "internal" });
    expect((await database.query("select n from counter")).rows).toEqual([{ n: 0 }]);
  });

  test("refuses a statement of a transaction that has ended", async () => {
    const database = await engine.fresh();
    const leaked = await database.transaction(async (tx) => tx);
    await expect(leaked.query("select 1")).rejects.toThrow("already ended");
  });

  test("does nothing more once it is aborted", async () => {
    const database = await engine.fresh({ sets: [COUNTER] });
    const abort = new AbortController();
    const aborted = database.transaction(
      async (tx) => {
        await increment(tx);
        abort.abort();
        await increment(tx);
      },
      { signal: abort.signal },
    );
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    expect((await database.query("select n from counter")).rows).toEqual([{ n: 0 }]);
  });

  test("carries a transaction with one key out once, and gives its result again", async () => {
    const database = await engine.fresh({ sets: [COUNTER] });
    const results = [];
    for (let round = 0; round < 3; round += 1) {
      results.push(await database.transaction(increment, { idempotencyKey: "call-1" }));
    }
    expect(results).toEqual([1, 1, 1]);
    expect((await database.query("select n from counter")).rows).toEqual([{ n: 1 }]);
  });

  test("brings large texts and odd characters through unchanged", async () => {
    const database = await engine.fresh();
    const text = "ä€😀\n'\"\\%_".repeat(50_000);
    const { rows } = await database.query<{ text: string }>("select $1::text as text", [text]);
    expect(rows[0]?.text === text).toBe(true);
  });

  test("hints at a notification of another connection", async () => {
    const [one, two] = [await engine.fresh(), await engine.fresh()];
    const hints: (() => void)[] = [];
    const nextHint = (): Promise<void> => new Promise((resolve) => void hints.push(resolve));
    const listening = nextHint();
    const listener = one.listen("news", () => hints.shift()?.());
    await listening;
    const news = nextHint();
    await two.query("select pg_notify('news', '')");
    await expect(news).resolves.toBeUndefined();
    await listener.close();
  });

  test("migrates once, and then has nothing to do", async () => {
    const database = await engine.fresh();
    const runs = await Promise.all([1, 2, 3].map(() => migrate(database, [COUNTER])));
    expect(runs.flat()).toEqual(["counter/0001"]);
    expect(await migrate(database, [COUNTER])).toEqual([]);
  });

  test("leaves no trace of a migration that fails", async () => {
    const database = await engine.fresh();
    const broken: MigrationSet = {
      name: "broken",
      migrations: [
        { id: "0001", sql: "create table half (id int)" },
        { id: "0002", sql: "create table half (id int)" },
      ],
    };
    await expect(migrate(database, [broken])).rejects.toMatchObject({ code: "internal" });
    expect((await database.query("select to_regclass('half') as found")).rows).toEqual([{ found: null }]);
  });

  test("refuses a schema that is newer than the code, or made by another build", async () => {
    const database = await engine.fresh({ sets: [COUNTER] });
    const older = migrate(database, [{ name: "counter", migrations: [] }]);
    await expect(older).rejects.toMatchObject({ code: "unsupported", message: expect.stringContaining("newer") });
    const other = migrate(database, [{ name: "counter", migrations: [{ id: "0001", sql: "select 1" }] }]);
    await expect(other).rejects.toMatchObject({ code: "unsupported", message: expect.stringContaining("differs") });
  });

  test("answers after close with an error, and closes twice", async () => {
    const database = await engine.fresh();
    await database.close();
    await database.close();
    await expect(database.query("select 1")).rejects.toMatchObject({ code: "unavailable" });
  });
});

test("refuses a schema name that would need quoting and a URL that is none, quoting no password", () => {
  expect(() => openDatabase({ directory: "x", schema: 'a"; drop' })).toThrow(IkigaiError);
  expect(() => openDatabase({ url: "mysql://u:hunter2@h/d" })).toThrow(/not a postgres/);
  expect(() => openDatabase({ url: "hunter2" })).not.toThrow(/hunter2/);
});
