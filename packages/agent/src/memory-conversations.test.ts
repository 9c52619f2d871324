import { expect, test } from "vitest";
import { createMemoryConversations, titleOf } from "./memory-conversations.ts";
import type { Message } from "./messages.ts";

const at = "2026-01-01T00:00:00.000Z";
const user = (id: string, text = `question ${id}`): Message => ({ role: "user", id, at, text });

test("messages keep their order and are taken once", async () => {
  const store = createMemoryConversations(() => new Date(at));
  const id = await store.create("a");
  await store.append(id, [user("1"), user("2")]);
  await store.append(id, [user("2"), user("3")]);
  expect((await store.messages(id)).map((message) => message.id)).toEqual(["1", "2", "3"]);
});

test("conversations are listed by agent, newest first, under their first question", async () => {
  const store = createMemoryConversations();
  const first = await store.create("a");
  const second = await store.create("a");
  await store.create("b");
  await store.append(first, [user("1", `A ${"long ".repeat(40)}question`)]);
  const listed = await store.list("a");
  expect(listed.map(({ id }) => id)).toEqual([second, first]);
  expect(listed[1]).toMatchObject({ messages: 1, updated_at: at, title: expect.stringMatching(/^A long .*…$/) });
  expect(listed[0]).toMatchObject({ title: "", messages: 0 });
  expect(titleOf([])).toBe("");
});

test("a fork goes its own way, a mark can be come back to, and an unknown one lists those there are", async () => {
  const store = createMemoryConversations();
  const id = await store.create("a");
  await store.append(id, [user("1")]);
  await expect(store.rewind(id, "here")).rejects.toMatchObject({ code: "not_found", hint: "Set one with /mark NAME." });
  await store.mark(id, "here");
  const fork = await store.fork(id);
  await store.append(id, [user("2")]);
  expect(await store.messages(fork)).toHaveLength(1);
  await store.rewind(id, "here");
  expect(await store.messages(id)).toHaveLength(1);
  await expect(store.rewind(id, "there")).rejects.toMatchObject({ hint: "Marks are: here." });
  await expect(store.messages("none")).rejects.toMatchObject({ code: "not_found" });
});

test("the manifest of every request is kept, by its number and its turn", async () => {
  const store = createMemoryConversations(() => new Date(at));
  const id = await store.create("a");
  const manifest = (tokens: number) => ({ entries: [], tokens, limit: 10 });
  expect(await store.findManifest(id)).toBeUndefined();
  for (const [tokens, turn] of [
    [1, 1],
    [2, 2],
    [3, 2],
  ] as const)
    await store.recordManifest(id, manifest(tokens), turn);
  expect(await store.findManifest(id)).toEqual({ request: 3, turn: 2, at, manifest: manifest(3) });
  expect(await store.findManifest(id, { request: 2 })).toMatchObject({ request: 2, turn: 2 });
  expect(await store.findManifest(id, { turn: 1 })).toMatchObject({ request: 1 });
  expect(await store.findManifest(id, { turn: 3 })).toBeUndefined();
  expect(await store.lastManifest(id)).toEqual(manifest(3));
  const summary = { text: "so far", covers: 2 };
  await store.saveManifest(id, { ...manifest(3), summary });
  await store.recordManifest(id, manifest(4), 3);
  expect(await store.lastManifest(id)).toEqual({ ...manifest(4), summary });
  expect((await store.findManifest(id))?.manifest).toEqual(manifest(4));
});

test("a conversation knows its folder, goes back to before a message, and is discarded only when it is empty", async () => {
  const store = createMemoryConversations();
  const [empty, used] = [await store.create("a"), await store.create("a", "/notes")];
  await store.append(used, [user("1"), user("2")]);
  await store.rewindBefore(used, "2");
  expect((await store.messages(used)).map(({ id }) => id)).toEqual(["1"]);
  await expect(store.rewindBefore(used, "2")).rejects.toMatchObject({ code: "not_found" });
  for (const id of [empty, used, "none"]) await store.discardEmpty(id);
  expect(await store.list("a")).toMatchObject([{ id: used, workspace: "/notes" }]);
});
