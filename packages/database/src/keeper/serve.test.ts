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
});

afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

async function enter(options = ""): Promise<Client> {
  const client = new Client({ host: folder, port: PORT, user: "u", database: "d", options });
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
