import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { Conversations } from "@ikigai/core/host";
import { storeMigrations } from "../index.ts";
import { createConversations } from "./conversations.ts";

interface Message {
  readonly id: string;
  readonly at: string;
  readonly text: string;
}

interface Manifest {
  readonly entries: readonly { readonly source: string; readonly version: number }[];
  readonly tokens: number;
  readonly summary?: { readonly text: string; readonly covers: number };
}

/** Two hundred parts, of which one changed at this request. */
const manifestOf = (changed: number): Manifest => ({
  entries: Array.from({ length: 200 }, (_, index) => ({
    source: `ikigai:///pinned/${index}.md`,
    version: index === changed ? 2 : 1,
  })),
  tokens: changed,
});
const message = (id: string, text = `text ${id}`): Message => ({ id, at: `2026-02-01T00:00:0${id}.000Z`, text });
const titleOf = (messages: readonly Message[]): string => messages[0]?.text ?? "(empty)";

describe.each(testEngines())("conversations on the $name engine", (engine) => {
  afterAll(() => engine.stop());
  const open = async (): Promise<Conversations<Message, Manifest>> => {
    let now = Date.parse("2026-01-01T00:00:00.000Z");
    const clock = (): Date => new Date((now += 1_000));
    return createConversations(await engine.fresh({ sets: [storeMigrations] }), { titleOf, clock });
  };

  test("keep messages in order, each once, whatever their text", async () => {
    const conversations = await open();
    const id = await conversations.create("ana");
    const odd = message("2", "a NUL \0, half a \ud83e pair, quotes ' \" \\");
    await conversations.append(id, [message("1"), odd]);
    await Promise.all([conversations.append(id, [odd, message("3")]), conversations.append(id, [message("3")])]);
    expect(await conversations.messages(id)).toEqual([message("1"), odd, message("3")]);
  });

  test("are listed for their agent, newest first", async () => {
    const conversations = await open();
    const [first, second] = [await conversations.create("ana"), await conversations.create("ana")];
    await conversations.create("bob");
    await conversations.append(first, [message("1"), message("2")]);
    const [newest, oldest] = await conversations.list("ana");
    expect(newest).toMatchObject({ id: second, title: "(empty)", messages: 0, updated_at: newest?.started_at });
    expect(oldest).toMatchObject({
      id: first,
      agent: "ana",
      title: "text 1",
      messages: 2,
      updated_at: message("2").at,
    });
    expect(await conversations.list("nobody")).toEqual([]);
  });

  test("go back to a mark and on from there; a copy is not touched", async () => {
    const conversations = await open();
    const id = await conversations.create("ana");
    await conversations.append(id, [message("1")]);
    await conversations.mark(id, "start");
    await conversations.append(id, [message("2")]);
    const copy = await conversations.fork(id);
    await conversations.rewind(id, "start");
    await conversations.append(id, [message("3")]);
    expect((await conversations.messages(id)).map((one) => one.id)).toEqual(["1", "3"]);
    expect((await conversations.messages(copy)).map((one) => one.id)).toEqual(["1", "2"]);
    await expect(conversations.rewind(id, "none")).rejects.toMatchObject({ hint: "Marks are: start." });
    await expect(conversations.rewind(copy, "none")).rejects.toMatchObject({ hint: "Set a mark first." });
  });

  test("know the folder they were begun in, and so does a copy", async () => {
    const conversations = await open();
    const id = await conversations.create("ana", "/home/ana/notes");
    await conversations.append(id, [message("1")]);
    await conversations.fork(id);
    await conversations.create("ana");
    const folders = (await conversations.list("ana")).map(({ workspace }) => workspace);
    expect(folders).toEqual([undefined, "/home/ana/notes", "/home/ana/notes"]);
  });

  test("go back to before a message, and not to before one that is not there", async () => {
    const conversations = await open();
    const id = await conversations.create("ana");
    await conversations.append(id, [message("1"), message("2"), message("3")]);
    await conversations.rewindBefore(id, "2");
    await conversations.append(id, [message("4")]);
    expect((await conversations.messages(id)).map((one) => one.id)).toEqual(["1", "4"]);
    await expect(conversations.rewindBefore(id, "3")).rejects.toMatchObject({ code: "not_found" });
  });

  test("are discarded only when nothing was ever said in them", async () => {
    const conversations = await open();
    const [empty, used, rewound] = await Promise.all(["ana", "ana", "ana"].map((agent) => conversations.create(agent)));
    await conversations.append(used!, [message("1")]);
    await conversations.append(rewound!, [message("1")]);
    await conversations.rewindBefore(rewound!, "1");
    for (const id of [empty!, used!, rewound!, "none"]) await conversations.discardEmpty(id);
    expect((await conversations.list("ana")).map(({ id }) => id).toSorted()).toEqual([used!, rewound!].toSorted());
  });

  test("are read as another process left them, however much of them was read before", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const [mine, theirs] = [0, 1].map(() => createConversations<Message, Manifest>(database, { titleOf }));
    const id = await mine!.create("ana");
    const ids = async (): Promise<string[]> => (await mine!.messages(id)).map((one) => one.id);
    expect(await ids()).toEqual([]);
    await theirs!.append(id, [message("1"), message("2")]);
    await theirs!.mark(id, "two");
    expect(await ids()).toEqual(["1", "2"]);
    await theirs!.append(id, [message("3")]);
    expect(await ids()).toEqual(["1", "2", "3"]);
    await theirs!.rewind(id, "two");
    await theirs!.append(id, [message("4"), message("5")]);
    expect(await ids()).toEqual(["1", "2", "4", "5"]);
    expect(await ids()).toEqual(["1", "2", "4", "5"]);
    const other = await theirs!.create("ana");
    expect(await mine!.messages(other)).toEqual([]);
    await theirs!.mark(id, "all");
    await theirs!.rewind(id, "two");
    expect(await ids()).toEqual(["1", "2"]);
  });

  test("keep what several processes append at once, each message once and each call's in order", async () => {
    const database = await engine.fresh({ sets: [storeMigrations], maxConnections: 8 });
    const writers = [0, 1, 2, 3].map(() => createConversations<Message, Manifest>(database, { titleOf }));
    const id = await writers[0]!.create("ana");
    await Promise.all(
      writers.flatMap((writer, at) =>
        Array.from({ length: 5 }, (_, call) =>
          writer.append(id, [
            message("0"),
            { ...message("1"), id: `${at}.${call}a` },
            { ...message("2"), id: `${at}.${call}b` },
          ]),
        ),
      ),
    );
    const ids = (await writers[0]!.messages(id)).map((one) => one.id);
    expect(ids).toHaveLength(41);
    expect(new Set(ids).size).toBe(41);
    for (const first of ids.filter((one) => one.endsWith("a")))
      expect(ids.indexOf(first.replace("a", "b"))).toBeGreaterThan(ids.indexOf(first));
  });

  test("remember their last manifest", async () => {
    const conversations = await open();
    const id = await conversations.create("ana");
    expect(await conversations.lastManifest(id)).toBeUndefined();
    await conversations.saveManifest(id, manifestOf(3));
    expect(await conversations.lastManifest(id)).toEqual(manifestOf(3));
  });

  test("have the manifest of the last request as their last one, with the summary there was", async () => {
    const conversations = await open();
    const id = await conversations.create("ana");
    await conversations.recordManifest(id, manifestOf(1), 1);
    expect(await conversations.lastManifest(id)).toEqual(manifestOf(1));
    const summary = { text: "a NUL \0, half a \ud83e pair", covers: 3 };
    await conversations.saveManifest(id, { ...manifestOf(1), summary });
    await conversations.recordManifest(id, manifestOf(2), 2);
    expect(await conversations.lastManifest(id)).toEqual({ ...manifestOf(2), summary });
    expect((await conversations.findManifest(id))?.manifest).toEqual(manifestOf(2));
  });

  test("keep the manifest of every request, and little of what stays the same", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const conversations = createConversations<Message, Manifest>(database, { titleOf });
    const [id, other] = [await conversations.create("ana"), await conversations.create("ana")];
    expect(await conversations.findManifest(id)).toBeUndefined();
    await conversations.recordManifest(other, manifestOf(9), 1);
    for (const request of [1, 2, 3, 4, 5, 6]) {
      await conversations.recordManifest(id, manifestOf(request), Math.ceil(request / 2));
    }
    expect(await conversations.findManifest(id)).toMatchObject({ request: 6, turn: 3 });
    expect(await conversations.findManifest(id, { turn: 2 })).toMatchObject({ request: 4, manifest: manifestOf(4) });
    for (const request of [1, 2, 3, 4, 5, 6]) {
      const found = await conversations.findManifest(id, { request });
      expect(found).toEqual({
        request,
        turn: Math.ceil(request / 2),
        at: expect.stringMatching(/Z$/),
        manifest: manifestOf(request),
      });
    }
    expect(await conversations.findManifest(id, { request: 7 })).toBeUndefined();
    const { rows } = await database.query<{ data: string }>("select data from manifest where conversation = $1", [id]);
    const whole = JSON.stringify(manifestOf(1)).length;
    expect(rows.reduce((sum, { data }) => sum + data.length, 0)).toBeLessThan(whole * 1.2);
  });

  test("number requests that two processes make at once, each once", async () => {
    const conversations = await open();
    const id = await conversations.create("ana");
    await Promise.all([1, 2, 3, 4].map((changed) => conversations.recordManifest(id, manifestOf(changed), 1)));
    const found = await Promise.all([1, 2, 3, 4].map((request) => conversations.findManifest(id, { request })));
    expect(found.map((one) => one?.manifest.tokens ?? 0).toSorted()).toEqual([1, 2, 3, 4]);
  });

  test("that do not exist are not found", async () => {
    const conversations = await open();
    const calls = [
      conversations.messages("x"),
      conversations.append("x", []),
      conversations.fork("x"),
      conversations.mark("x", "m"),
      conversations.rewind("x", "m"),
      conversations.saveManifest("x", manifestOf(1)),
      conversations.recordManifest("x", manifestOf(1), 1),
      conversations.lastManifest("x"),
    ];
    const ends = await Promise.allSettled(calls);
    for (const end of ends) expect(end).toMatchObject({ status: "rejected", reason: { code: "not_found" } });
  });
});
