import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { processStart, thisMachine } from "./machine.ts";
import { socketPath } from "./socket.ts";
import { claimStore, type Holder, holderState, readClaim, releaseStore } from "./store-lock.ts";

let store: string;
const servers: Server[] = [];

beforeEach(async () => {
  store = await mkdtemp(join(tmpdir(), "ikigai-lock-"));
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => void server.close(resolve))));
  await rm(store, { recursive: true, force: true });
});

async function listen(port: number): Promise<void> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(socketPath(store, port), resolve));
}

/** A record as somebody else left it. */
async function leave(number: number, holder: Partial<Holder>): Promise<void> {
  const other: Holder = {
    ...thisMachine(),
    pid: 2 ** 22 + 1,
    started: "1",
    port: 99,
    since: "then",
    durable: true,
    released: false,
    ...holder,
  };
  await writeFile(join(store, `keeper-${number}.json`), JSON.stringify(other));
}

describe("the lock of a store", () => {
  test("belongs to the first, until it is released", async () => {
    await listen(1);
    const first = await claimStore(store, 1, true);
    expect(first).toMatchObject({ own: true, number: 1, holder: { pid: process.pid, port: 1, durable: true } });
    await listen(2);
    expect(await claimStore(store, 2, true)).toMatchObject({ own: false, number: 1, holder: { port: 1 } });
    await releaseStore(store, first);
    expect(await claimStore(store, 2, false)).toMatchObject({ own: true, number: 2, previous: { durable: true } });
    expect((await readdir(store)).filter((name) => name.startsWith("keeper"))).toEqual(["keeper-2.json"]);
  });

  test("goes to one of many that ask at once", async () => {
    await leave(7, {});
    const ports = [1, 2, 3, 4, 5];
    await Promise.all(ports.map(listen));
    const claims = await Promise.all(ports.map((port) => claimStore(store, port, true)));
    expect(claims.filter(({ own }) => own)).toHaveLength(1);
    expect(new Set(claims.map(({ number, holder }) => `${number} ${holder.port}`)).size).toBe(1);
    expect(claims[0]?.number).toBe(8);
  });

  test("is not given to somebody slow who repeats a number that has come and gone", async () => {
    await listen(1);
    await listen(2);
    await leave(5, { port: 1 });
    expect(await claimStore(store, 2, true)).toMatchObject({ own: false, number: 5 });
  });

  test.each<[string, Partial<Holder>, string]>([
    ["released", { released: true }, "dead"],
    ["gone", {}, "dead"],
    ["running, though nobody listens", { pid: process.pid, started: processStart(process.pid) ?? "" }, "alive"],
    ["another process that got the same id", { pid: process.pid, started: "0" }, "dead"],
    ["of a boot before this one", { pid: process.pid, started: processStart(process.pid) ?? "", boot: "old" }, "dead"],
    ["in another container of this machine and silent", { host: "other/1", processSpace: "pid:[1]" }, "dead"],
    ["on another machine", { host: "other/1", boot: "other" }, "elsewhere"],
  ])("a holder that is %s", async (_, holder, state) => {
    await leave(1, holder);
    const claim = await readClaim(store);
    expect(claim && (await holderState(store, claim.holder))).toBe(state);
  });

  test("is free in a folder that nobody opened", async () => {
    expect(await readClaim(store)).toBeUndefined();
  });

  test("knows no start of a process that is not there", () => {
    expect(processStart(2 ** 22 + 1)).toBeUndefined();
  });
});
