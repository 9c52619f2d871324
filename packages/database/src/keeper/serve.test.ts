import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ensureData } from "./create-data.ts";
import { type Engine, openEngine } from "./engine.ts";
import { createService, type Service } from "./serve.ts";
import { probeSocket, socketPath } from "./socket.ts";
import { queryMessage } from "./wire.ts";

const template = join(tmpdir(), `ikigai-test-stores-${userInfo().uid}`, "template-pglite-0.5.14");
const PORT = 1;
let folder: string;
let engine: Engine;
let server: Server;
let service: Service;
let counts: number[];
let broken: string[];
const clients: Client[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-serve-"));
  engine = await openEngine(await ensureData(folder, { durable: false, template }), { durable: false });
});

beforeEach(async () => {
  counts = [];
  broken = [];
  service = createService({
    idleInTransactionMs: 500,
    onClients: (count) => void counts.push(count),
    onBroken: (reason) => void broken.push(reason),
    onBusy: () => {},
  });
  server = createServer((socket) => service.accept(socket));
  await new Promise<void>((resolve) => void server.listen(socketPath(folder, PORT), resolve));
});

afterEach(async () => {
  service.end("57P01", "the test is over");
  await Promise.all(clients.splice(0).map((client) => client.end().catch(() => undefined)));
  await new Promise((resolve) => void server.close(resolve));
  // A service has an engine for as long as both live; here the next one gets it.
  engine.execute(queryMessage("deallocate all"));
});

afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

async function enter(options = "", pipeline = false): Promise<Client> {
  const client = new Client({ host: folder, port: PORT, user: "u", database: "d", options, pipeline });
  client.on("error", () => undefined);
  clients.push(client);
  await client.connect();
  return client;
}

async function value(client: Client, text: string): Promise<unknown> {
  const result = await client.query({ text, rowMode: "array" });
  return (result.rows[0] as unknown[] | undefined)?.[0];
}

describe("a service over one engine", () => {
  test("lets clients wait until the engine is there", async () => {
    const joining = enter();
    const early = await new Promise((resolve) => setImmediate(resolve)).then(() => counts);
    expect(early.every((count) => count <= 1)).toBe(true);
    service.start(engine);
    expect(await value(await joining, "select 1")).toBe(1);
  });

  test("makes others wait while a client is inside a transaction", async () => {
    service.start(engine);
    const [one, two] = [await enter(), await enter()];
    await one.query("create table if not exists public.t (n int)");
    const order: string[] = [];
    await one.query("begin");
    const waiting = two.query("insert into t values (2)").then(() => order.push("two"));
    await one.query("insert into t values (1)");
    order.push("one");
    await one.query("commit");
    await waiting;
    expect(order).toEqual(["one", "two"]);
    await one.query("drop table t");
  });

  test("lets nobody in between statements that are sent at once", async () => {
    service.start(engine);
    const several = await Promise.all(Array.from({ length: 5 }, () => enter("", true)));
    await several[0]?.query("create table public.t (id serial, who int, round int)");
    const one = (client: Client, who: number, round: number): Promise<unknown> =>
      Promise.all([
        client.query("begin"),
        ...[1, 2, 3].map(() => client.query("insert into t (who, round) values ($1, $2)", [who, round])),
        client.query("commit"),
      ]);
    const rounds = Array.from({ length: 20 }, (_, round) => round);
    await Promise.all(several.map((client, who) => Promise.all(rounds.map((round) => one(client, who, round)))));
    const rows = await several[0]?.query<{ who: number; round: number }>("select who, round from t order by id");
    const triples = rounds.flatMap(() => several).map((_, index) => rows?.rows.slice(index * 3, index * 3 + 3) ?? []);
    for (const triple of triples) expect(new Set(triple.map(({ who, round }) => `${who} ${round}`)).size).toBe(1);
    expect(new Set(triples.map(([first]) => `${first?.who} ${first?.round}`)).size).toBe(100);
    await several[0]?.query("drop table t");
  });

  test("rolls back what a client had sent at once when it is gone", async () => {
    service.start(engine);
    const [one, two] = [await enter("", true), await enter()];
    await two.query("create table public.t (n int)");
    const answers = [one.query("begin"), ...[1, 2, 3].map((n) => one.query("insert into t values ($1)", [n]))];
    const ended = Promise.allSettled(answers);
    one.connection.stream.destroy();
    await ended;
    expect(await value(two, "select count(*)::int from t")).toBe(0);
    await two.query("drop table t");
  });

  test("rolls back what a client leaves open, also after an error", async () => {
    service.start(engine);
    const [one, two] = [await enter(), await enter()];
    await one.query("create table public.t (n int)");
    await one.query("begin");
    await one.query("insert into t values (1)");
    await expect(one.query("select 1 / 0")).rejects.toThrow("division");
    const count = value(two, "select count(*)::int from t");
    await one.end();
    expect(await count).toBe(0);
    await two.query("drop table t");
  });

  test("ends a client that says nothing inside a transaction", async () => {
    service.start(engine);
    const [one, two] = [await enter(), await enter()];
    const ended = new Promise((resolve) => void one.once("error", resolve));
    await one.query("begin");
    expect(await value(two, "select 1")).toBe(1);
    expect(String(await ended)).toMatch(/idle-in-transaction|terminated/);
  });

  test("gives each client its own search path", async () => {
    service.start(engine);
    const [one, two] = [await enter("-c search_path=pg_catalog,public"), await enter()];
    expect(await value(one, "show search_path")).toBe("pg_catalog, public");
    expect(await value(two, "show search_path")).toBe("public");
    expect(await value(one, "show search_path")).toBe("pg_catalog, public");
  });

  describe("prepared statements", () => {
    const named = (client: Client, name: string, text: string, ...values: unknown[]): Promise<unknown[]> =>
      client.query({ name, text, values }).then(({ rows }) => rows);

    test("have names that are each client's own", async () => {
      service.start(engine);
      const [one, two] = [await enter(), await enter()];
      for (let round = 0; round < 3; round += 1) {
        expect(await named(one, "q", "select $1::int + 1 as n", 1)).toEqual([{ n: 2 }]);
        expect(await named(two, "q", "select $1::text as word", "b")).toEqual([{ word: "b" }]);
        expect(await named(two, "p", "select $1::int + 1 as n", 2)).toEqual([{ n: 3 }]);
      }
      expect((await one.query("select from pg_prepared_statements")).rowCount).toBe(2);
    });

    test("mean what the search path of their client says", async () => {
      service.start(engine);
      const paths = ["one", "two"];
      const admin = await enter();
      for (const path of paths)
        await admin.query(`create schema ${path}; create table ${path}.t as select '${path}' a`);
      const [one, two] = [await enter("-c search_path=one"), await enter("-c search_path=two")];
      for (let round = 0; round < 3; round += 1) {
        expect(await named(one, "q", "select a from t where $1 = 1", 1)).toEqual([{ a: "one" }]);
        expect(await named(two, "q", "select a from t where $1 = 1", 1)).toEqual([{ a: "two" }]);
      }
      for (const path of paths) await admin.query(`drop schema ${path} cascade`);
    });

    test("are made again after a table has changed, also when that was taken back", async () => {
      service.start(engine);
      const [one, two] = [await enter(), await enter()];
      await two.query("create table public.t as select 1 as a");
      const read = (): Promise<unknown[]> => named(one, "q", "select * from public.t where $1 = 1", 1);
      expect(await read()).toEqual([{ a: 1 }]);
      await two.query("alter table t add column b int");
      expect(await read()).toEqual([{ a: 1, b: null }]);
      await one.query("begin");
      await one.query("alter table t drop column b");
      expect(await read()).toEqual([{ a: 1 }]);
      await one.query("rollback");
      await expect(read()).rejects.toMatchObject({ code: "0A000" });
      expect(await read()).toEqual([{ a: 1, b: null }]);
      await two.query("drop table t");
    });

    test("fail as they would by themselves, and are there afterwards", async () => {
      service.start(engine);
      const one = await enter();
      await expect(named(one, "bad", "select nothing from nowhere where $1 = 1", 1)).rejects.toMatchObject({
        code: "42P01",
      });
      await expect(named(one, "bad", "select nothing from nowhere where $1 = 1", 1)).rejects.toMatchObject({
        code: "42P01",
      });
      await expect(named(one, "div", "select 1 / $1::int as n", 0)).rejects.toMatchObject({ code: "22012" });
      expect(await named(one, "div", "select 1 / $1::int as n", 1)).toEqual([{ n: 1 }]);
      await one.query("begin");
      await expect(named(one, "div", "select 1 / $1::int as n", 0)).rejects.toMatchObject({ code: "22012" });
      await expect(named(one, "div", "select 1 / $1::int as n", 1)).rejects.toMatchObject({ code: "25P02" });
      await expect(named(one, "new", "select $1::int as n", 1)).rejects.toMatchObject({ code: "25P02" });
      await one.query("rollback");
      expect(await named(one, "new", "select $1::int as n", 1)).toEqual([{ n: 1 }]);
    });

    test("are renewed once in a while, and stay few", async () => {
      service.start(engine);
      const one = await enter();
      for (let round = 0; round < 1_300; round += 1) {
        const number = round % 2 === 0 ? round : 0;
        expect(await named(one, `q${number}`, `select $1::int + ${number} as n`, 1)).toEqual([{ n: number + 1 }]);
      }
      expect((await one.query("select from pg_prepared_statements")).rowCount).toBeLessThan(220);
    });
  });

  test("brings a notification to the client that listens", async () => {
    service.start(engine);
    const [one, two] = [await enter(), await enter()];
    const heard = new Promise<string>((resolve) => {
      one.on("notification", ({ channel, payload }) => resolve(`${channel} ${payload}`));
    });
    await one.query("listen news");
    await two.query("select pg_notify('news', 'hello')");
    expect(await heard).toBe("news hello");
    await one.query("unlisten news");
  });

  test("counts clients that said who they are, not those who only look", async () => {
    service.start(engine);
    expect(await probeSocket(folder, PORT)).toBe(true);
    const one = await enter();
    expect(counts).toEqual([1]);
    await one.end();
    await expect.poll(() => counts).toEqual([1, 0]);
    expect(await probeSocket(folder, 2)).toBe(false);
  });

  test("refuses what it cannot do, and goes on", async () => {
    service.start(engine);
    const bytes = await new Promise<string>((resolve) => {
      const socket = connect(socketPath(folder, PORT));
      let said = "";
      socket.on("data", (chunk) => void (said += chunk.toString("latin1")));
      socket.on("close", () => resolve(said));
      socket.write(Buffer.from([0, 0, 0, 8, 0, 2, 0, 0]));
    });
    expect(bytes).toContain("protocol 2.0 is not supported here");
    expect(await value(await enter(), "select 1")).toBe(1);
    expect(broken).toEqual([]);
  });

  test("says why it ends, and takes nobody in any more", async () => {
    service.start(engine);
    const one = await enter();
    await one.query("begin");
    const ended = new Promise((resolve) => void one.once("error", resolve));
    service.end("57P01", "time to go");
    expect(String(await ended)).toMatch(/time to go|terminated/);
    await expect(enter()).rejects.toThrow(/terminated|ECONN|EPIPE/);
  });

  test("reports an engine that breaks off", async () => {
    service.start({ ...engine, execute: () => new Uint8Array() });
    const one = await enter();
    void one.query("select 1").catch(() => undefined);
    await expect.poll(() => broken).toHaveLength(1);
  });
});
