import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Database, findKeeper, openDatabase, stopKeeper } from "./index.ts";

let folder: string;
let database: Database;
let pid: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-stopped-"));
  database = openDatabase({ directory: join(folder, "store") });
  await database.query("create table kept (n int)");
  pid = (await findKeeper(join(folder, "store")))?.pid ?? 0;
});
afterEach(async () => {
  process.kill(pid, "SIGCONT");
  await database.close();
  await stopKeeper(join(folder, "store"));
  await rm(folder, { recursive: true, force: true });
});

/** Before, each call was silent for 183 seconds. */
test("while the keeper is stopped, calls of old and new clients name its process and what to do, and go on after it", async () => {
  process.kill(pid, "SIGSTOP");
  const other = openDatabase({ directory: join(folder, "store") });
  const asked = [database, database, other, other].map((one) => one.query("select 1"));
  for (const answer of await Promise.allSettled(asked)) {
    expect(answer).toMatchObject({
      status: "rejected",
      reason: { code: "unavailable", hint: expect.stringContaining("kill -CONT") },
    });
    expect(answer).toMatchObject({ reason: { message: expect.stringContaining(`process ${pid}, is stopped`) } });
  }
  process.kill(pid, "SIGCONT");
  for (const one of [database, other]) expect(await one.query("select 1")).toMatchObject({ count: 1 });
  expect((await findKeeper(join(folder, "store")))?.pid).toBe(pid);
  await other.close();
}, 120_000);

test("a statement that was sent before the keeper was stopped is answered too", async () => {
  await database.transaction(async (tx) => {
    await tx.query("insert into kept values (1)");
  });
  const running = database.transaction(
    async (tx) => {
      await tx.query("insert into kept values (2)");
      process.kill(pid, "SIGSTOP");
      await tx.query("insert into kept values (3)");
    },
    { attempts: 1 },
  );
  await expect(running).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(`process ${pid}`),
  });
  process.kill(pid, "SIGCONT");
  expect((await database.query("select n from kept")).rows).toEqual([{ n: 1 }]);
}, 120_000);
