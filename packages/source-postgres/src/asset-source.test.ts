import type { Actor, StreamEvent } from "@ikigai/core";
import { laterAssetPosition } from "@ikigai/core/assets";
import { createSourceManager } from "@ikigai/core/host";
import type { Database } from "@ikigai/database";
import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { assetMigrations, createAssetStore, postgresAssetSource } from "./index.ts";
import { assetChangeStream } from "./asset-changes.ts";

const host = { mount: "ikigai", signal: new AbortController().signal, services: {}, warn: () => {} };
const actor = (agent: string): Actor => ({ agent, conversation: "c", callId: "1", tool: "file_write" });

async function eventsAfter(database: Database, owner: string, after: string, count: number): Promise<StreamEvent[]> {
  const stream = await assetChangeStream({ database }).open({ owner }, host);
  const stopping = new AbortController();
  const events: StreamEvent[] = [];
  for await (const event of stream.events({ signal: stopping.signal, after })) {
    events.push(event);
    if (events.length === count) stopping.abort();
  }
  await stream.close?.();
  return events;
}

describe.each(testEngines())("a source over a shared database on the $name engine", (engine) => {
  afterAll(() => engine.stop());
  const fresh = (): Promise<Database> => engine.fresh({ sets: [assetMigrations] });

  test("keeps the assets of the agent that acts, and those of its owner when nobody does", async () => {
    const database = await fresh();
    const sources = createSourceManager();
    await sources.mount({ mount: "ikigai", source: postgresAssetSource({ database }), options: { owner: "house" } });
    const { source } = sources.route("ikigai:///a.md");
    await source.write?.("a.md", "of the house");
    await source.write?.("a.md", "of ana", { actor: actor("ana") });
    expect((await source.read("a.md"))?.text).toBe("of the house");
    expect((await source.read("a.md", { actor: actor("ana") }))?.text).toBe("of ana");
    expect(await source.read("a.md", { actor: actor("bob") })).toBeUndefined();
    await source.remove?.("a.md", { actor: actor("ana") });
    expect((await source.read("a.md"))?.text).toBe("of the house");
    expect(sources.status("ikigai")[0]?.guidance).toContain("ikigai:///");
    await sources.close();
    expect((await database.query("select 1 as one")).count).toBe(1);
  });

  test("tells of a schema that is newer, and works once that is mended", async () => {
    const database = await fresh();
    const source = await postgresAssetSource({ database }).open({ owner: "ana" }, host);
    await database.query("insert into migration (set, id, checksum) values ('source-postgres', '9999-future', '')");
    await expect(source.read("a.md")).rejects.toMatchObject({ code: "unsupported" });
    await database.query("delete from migration where id = '9999-future'");
    expect(await source.read("a.md")).toBeUndefined();
  });

  test("lists nothing for a prefix that begins no name, nor when it was aborted", async () => {
    const database = await fresh();
    const store = createAssetStore(database);
    await store.write("a.md", "text", { agent: "ana" });
    for (const prefix of ["a\0", "\ud83e", "b"]) {
      for await (const { path } of store.list("ana", prefix)) expect.unreachable(path);
    }
    for await (const { path } of store.list("ana", "", { signal: AbortSignal.abort() })) expect.unreachable(path);
  });

  test("streams changes from a cursor on, page after page, to the owner and to whom they are shared with", async () => {
    const database = await fresh();
    const store = createAssetStore(database);
    await store.write("plan.md", "1", { agent: "ana" });
    await database.query(
      `insert into asset_revision (owner, number, path, change, content, at)
       select 'ana', n, 'n' || n, 'created', '', clock_timestamp() from generate_series(2, 450) n`,
    );
    await database.query("update asset_clock set number = 450 where owner = 'ana'");
    const all = await eventsAfter(database, "ana", "{}", 450);
    expect(all.map(({ cursor }) => JSON.parse(cursor) as unknown)).toEqual(
      Array.from({ length: 450 }, (_, index) => ({ ana: String(index + 1) })),
    );
    await store.share("ana", "plan.md", "bob", "read_only");
    await store.write("own.md", "x", { agent: "bob" });
    const seen = await eventsAfter(database, "bob", "{}", 2);
    expect(seen.map(({ text }) => text)).toEqual([
      '"plan.md" of ana was created by ana',
      '"own.md" was created by bob',
    ]);
    const later = eventsAfter(database, "bob", seen[1]?.cursor ?? "", 1);
    await store.write("plan.md", "2", { agent: "ana" });
    expect((await later).map(({ text }) => text)).toEqual(['"plan.md" of ana was updated by ana']);
  });

  test("tells the changes of this program from those of others", async () => {
    const database = await fresh();
    const services = { database, program: "here" };
    const here = createAssetStore(database, services);
    const from = await here.position("ana");
    await here.write("a.md", "1", { agent: "ana" });
    await createAssetStore(database).write("a.md", "2", { agent: "ana" });
    await here.remove("a.md", { agent: "ana" });
    const stream = await assetChangeStream(services).open({ owner: "ana" }, host);
    const stopping = new AbortController();
    const own: unknown[] = [];
    for await (const { data, cursor } of stream.events({ signal: stopping.signal, after: from })) {
      own.push((data as { own: boolean }).own);
      if (own.length < 3) continue;
      expect(laterAssetPosition(from, cursor)).toBe(cursor);
      stopping.abort();
    }
    expect(own).toEqual([true, false, true]);
  });

  test("the later of two cursors is the later for each owner", () => {
    expect(laterAssetPosition('{"ana":"9","bob":"1"}', '{"ana":"10"}')).toBe('{"ana":"10","bob":"1"}');
    expect(() => laterAssetPosition("{}", "nonsense")).toThrow("no position");
  });

  test("refuses a cursor that is none", async () => {
    const database = await fresh();
    for (const cursor of ["nonsense", "[]x", '{"ana":"x"}', "null"]) {
      await expect(eventsAfter(database, "ana", cursor, 1)).rejects.toMatchObject({ code: "invalid_input" });
    }
  });
});
