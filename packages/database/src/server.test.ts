import { connect, createServer, type Server } from "node:net";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { beginWith } from "./client/begin-with.ts";
import { type Database, forgetKeys, migrate, openDatabase, type Sql } from "./index.ts";
import { type ServerOptions } from "./options.ts";
import { startTestServer, type TestServer } from "./testing/index.ts";

let server: TestServer;
let schemas = 0;
const opened: Database[] = [];

beforeAll(async () => {
  server = await startTestServer();
});
afterEach(() => Promise.all(opened.splice(0).map((database) => database.close())));
afterAll(() => server.stop());

async function open(more: Partial<ServerOptions> = {}): Promise<Database> {
  schemas += 1;
  const schema = `faults_${schemas}`;
  const direct = openDatabase({ url: server.url, schema });
  await migrate(direct, [{ name: "note", migrations: [{ id: "1", sql: "create table note (text text)" }] }]);
  const database = openDatabase({ url: server.url, schema, ...more });
  opened.push(direct, database);
  return database;
}

const add = (tx: Sql): Promise<unknown> => tx.query("insert into note values ('one')");
const notes = async (database: Database): Promise<number> => (await database.query("select from note")).count;
const backend = async (sql: Sql): Promise<unknown> =>
  (await sql.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;

/** Passes bytes on to the server, until `cut` says that the connection breaks before or after the server has them. */
async function startProxy(
  cut: (bytes: Buffer) => "before" | "after" | undefined,
): Promise<{ url: string; end: Server }> {
  const { hostname, port } = new URL(server.url);
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let broken = false;
    client.on("data", (bytes) => {
      const when = cut(bytes);
      broken ||= when === "after";
      if (when === "before") client.destroy();
      else upstream.write(bytes);
    });
    upstream.on("data", (bytes) => (broken ? client.destroy() : client.write(bytes)));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(server.url);
  url.port = String((proxy.address() as { port: number }).port);
  return { url: url.href, end: proxy };
}

/** A server that says it is of another version. */
async function startOldServer(): Promise<{ url: string; end: Server }> {
  const { hostname, port } = new URL(server.url);
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.pipe(upstream);
    upstream.on("data", (bytes) =>
      client.write(Buffer.from(bytes.toString("latin1").replaceAll("18.4", "14.4"), "latin1")),
    );
    for (const socket of [client, upstream]) socket.on("error", () => socket.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(server.url);
  url.port = String((proxy.address() as { port: number }).port);
  return { url: url.href, end: proxy };
}

/** True once for a commit. */
function firstCommit(): (bytes: Buffer) => boolean {
  let seen = false;
  return (bytes) => {
    if (seen || !bytes.includes("commit\0")) return false;
    seen = true;
    return true;
  };
}

describe("a server that fails", () => {
  test("ends a backend inside a transaction: the work runs again", async () => {
    const database = await open();
    let runs = 0;
    await database.transaction(async (tx) => {
      await add(tx);
      runs += 1;
      if (runs === 1) await database.query("select pg_terminate_backend($1)", [await backend(tx)]);
      await add(tx);
    });
    expect(runs).toBe(2);
    expect(await notes(database)).toBe(2);
  });

  test("ends a backend again and again: the error says how often it was tried", async () => {
    const database = await open();
    const failing = database.transaction(
      async (tx) => {
        await database.query("select pg_terminate_backend($1)", [await backend(tx)]);
        await add(tx);
      },
      { attempts: 2 },
    );
    await expect(failing).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("2 attempts"),
    });
    expect(await notes(database)).toBe(0);
  });

  test("ends an idle connection: nobody notices", async () => {
    const database = await open({ maxConnections: 1 });
    const pid = await backend(database);
    await opened[0]?.query("select pg_terminate_backend($1)", [pid]);
    expect(await backend(database)).not.toBe(pid);
  });

  test("has no connection left in our pool: a timeout that counts them", async () => {
    const database = await open({ maxConnections: 1, connectTimeoutMs: 200 });
    await database.transaction(async () => {
      const error = database.query("select 1");
      await expect(error).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("None of the 1") });
    });
    expect((await database.query("select 1 as one")).count).toBe(1);
  });

  test("takes too long over a statement, and goes on with the next", async () => {
    const database = await open({ statementTimeoutMs: 100 });
    await expect(database.query("select pg_sleep(20)")).rejects.toMatchObject({ code: "timeout" });
    expect((await database.query("select 1 as one")).count).toBe(1);
  });

  test("restarts while it is used", async () => {
    const database = await open();
    await database.transaction(add);
    await server.restart();
    await database.transaction(add);
    expect(await notes(database)).toBe(2);
  });

  test("does not know us: an error without the password", async () => {
    const wrong = new URL(server.url);
    wrong.password = "hunter2";
    const error = await openDatabase({ url: wrong.href })
      .query("select 1")
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "permission_denied" });
    expect(JSON.stringify(error) + String(error)).not.toContain("hunter2");
  });

  test.each([
    ["is not there", "postgres://u:hunter2@127.0.0.1:1/d"],
    ["has no name", "postgres://u:hunter2@nowhere.invalid/d"],
  ])("%s", async (_, url) => {
    const error = await openDatabase({ url, connectTimeoutMs: 5_000 })
      .query("select 1")
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "unavailable" });
    expect(String(error)).not.toContain("hunter2");
  });

  test("is too old", async () => {
    const old = await startOldServer();
    const database = openDatabase({ url: old.url });
    await expect(database.query("select 1")).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("14.4"),
    });
    await database.close();
    old.end.close();
  });

  test("ends a connection that listens: another one listens on, and hints that something may have been missed", async () => {
    const database = await open();
    let hints = 0;
    const listener = database.listen("news", () => void (hints += 1));
    await expect.poll(() => hints).toBe(1);
    await database.query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen \"news\"'");
    await expect.poll(() => hints, { timeout: 5_000 }).toBe(2);
    await listener.close();
    await listener.close();
  });

  test("changed a table under a prepared statement: it is prepared again", async () => {
    const database = await open({ maxConnections: 1 });
    const read = (sql: Sql): Promise<unknown> => sql.query("select * from note where text <> $1", [""]);
    await database.transaction(add);
    await read(database);
    await opened.at(-2)?.query("alter table note add column more int");
    expect(await read(database)).toMatchObject({ rows: [{ text: "one", more: null }] });
    await opened.at(-2)?.query("alter table note add column again int");
    expect(await database.transaction(read)).toMatchObject({ rows: [{ text: "one", more: null, again: null }] });
    await database.query("deallocate all");
    expect(await read(database)).toMatchObject({ count: 1 });
  });

  test("does not begin a transaction: its first statement does not run", async () => {
    const database = await open();
    const client = new Client({ connectionString: server.url, pipeline: true });
    await client.connect();
    const text = `insert into ${database.schema}.note values ($1)`;
    for (const name of ["", "named"]) {
      const first = beginWith(client, "begin nonsense", { name, text, values: ["alone"] });
      await expect(first).rejects.toMatchObject({ code: "42601" });
    }
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect((await beginWith(client, "begin", { text, values: ["two"] })).rowCount).toBe(1);
    await client.query("rollback");
    await client.end();
    expect(await notes(database)).toBe(0);
  });

  test("has no such database", async () => {
    const other = new URL(server.url);
    other.pathname = "/nothing";
    await expect(openDatabase({ url: other.href }).query("select 1")).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("a commit whose answer is lost", () => {
  test.each(["before", "after"] as const)("%s it took place is resolved by its key, once", async (when) => {
    const isCommit = firstCommit();
    const proxy = await startProxy((bytes) => (isCommit(bytes) ? when : undefined));
    const database = await open({ url: proxy.url });
    let runs = 0;
    const result = await database.transaction(
      async (tx) => {
        await add(tx);
        runs += 1;
        return "done";
      },
      { idempotencyKey: `lost-${when}` },
    );
    expect(result).toBe("done");
    expect(runs).toBe(when === "before" ? 2 : 1);
    expect(await notes(database)).toBe(1);
    proxy.end.close();
  });

  test("gives what the first one gave when it is a repetition", async () => {
    const isCommit = firstCommit();
    const proxy = await startProxy((bytes) => (isCommit(bytes) ? "before" : undefined));
    const database = await open({ url: proxy.url });
    const once = (sql: Database, result: string): Promise<string> =>
      sql.transaction(
        async (tx) => {
          tx.send("insert into note values ($1)", [result]);
          return result;
        },
        { idempotencyKey: "repeated" },
      );
    expect(await once(opened[0] as Database, "first")).toBe("first");
    expect(await once(database, "second")).toBe("first");
    expect(await notes(database)).toBe(1);
    proxy.end.close();
  });

  test("is forgotten with its key after a while", async () => {
    const database = await open();
    await database.transaction(add, { idempotencyKey: "old" });
    expect(await forgetKeys(database, 1)).toBe(0);
    await database.query("update transaction_key set at = now() - interval '2 hours'");
    expect(await forgetKeys(database, 1)).toBe(1);
  });

  test("is reported as being in doubt when it has no key", async () => {
    const isCommit = firstCommit();
    const proxy = await startProxy((bytes) => (isCommit(bytes) ? "after" : undefined));
    const database = await open({ url: proxy.url });
    await expect(database.transaction(add)).rejects.toMatchObject({ code: "unavailable", details: { inDoubt: true } });
    expect(await notes(database)).toBe(1);
    proxy.end.close();
  });
});
