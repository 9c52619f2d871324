import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type EmbeddingServer, openEmbeddingServer } from "./embedding-server.test.helper.ts";
import { openHost } from "@ikigai/host";
import type { OpenedStore } from "@ikigai/host/store";
import { type AssetStore, createAssetStore } from "@ikigai/source-postgres";
import { closeSharedStore, openWorkspace, type Ran } from "./testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
let server: EmbeddingServer;
let agent: string;
let count = 0;

beforeEach(async () => {
  workspace = await openWorkspace();
  server = await openEmbeddingServer();
  agent = `recaller-${++count}`;
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await workspace.close();
});
afterAll(closeSharedStore);
beforeAll(async () => {
  // The first command starts the store, which takes longer than any test.
  const first = await openWorkspace();
  await first.run(["recall", "status"]);
  await first.close();
}, 240_000);

const ikigai = (...args: string[]): Promise<Ran> => workspace.run(["--agent", agent, "--approve", "edits", ...args]);

interface Answer {
  readonly data: {
    readonly results: readonly {
      content: string;
      kind: string;
      address: string;
      why: { also: string[]; vector?: number; model?: string };
    }[];
    readonly notes?: readonly string[];
  };
}

async function recall(input: object): Promise<Answer> {
  const { out } = await ikigai("tool", "recall", JSON.stringify(input));
  return JSON.parse(out) as Answer;
}

async function search(query: string, more: object = {}): Promise<Answer["data"]> {
  return (await recall({ op: "search", query, ...more })).data;
}

/** The user's own configuration. */
async function configure(recallConfig: object): Promise<void> {
  const folder = join(workspace.root, "..", "config", "ikigai");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ikigai.config.json"), JSON.stringify({ recall: recallConfig }));
}

const endpoint = (more: object = {}): object => ({
  embedder: { use: "endpoint", base_url: server.url, model: "small", dimensions: 16, ...more },
});

describe("an entry that was corrected", () => {
  test("is shown with what corrected it, by id or address", async () => {
    await recall({ op: "insert", content: "Tea at four." });
    const [old] = (await search("tea")).results as unknown as readonly { id: string; address: string }[];
    await recall({ op: "insert", content: "Tea at five.", supersedes: old?.id });
    const shown = (await ikigai("recall", "show", old?.address ?? "")).out;
    expect(shown).toMatch(/corrected by \d+\n {4}Tea at four\.\n\d+ .* holds\n {4}Tea at five\./);
    const chain = JSON.parse((await ikigai("recall", "show", old?.id ?? "", "--json")).out) as unknown[];
    expect(chain).toHaveLength(2);
    expect((await ikigai("recall", "show", "999999")).err).toContain("no recall entry");
  });
});

describe("an embedder in the configuration", () => {
  test("that is down is a finding of doctor", async () => {
    await configure(endpoint());
    expect((await ikigai("doctor")).out).toMatch(/embedder: small@16 answers/);
    server.fault = { status: 503, body: "{}" };
    expect((await ikigai("doctor")).out).toMatch(/embedder: .*it answered 503/);
  });

  test("embeds what is stored, resumes, and finds by meaning", async () => {
    await recall({ op: "insert", content: "The automobile is in the yard" });
    await recall({ op: "insert", content: "Broth for lunch" });
    await configure(endpoint());
    expect((await ikigai("recall", "status")).out).toMatch(/entries {3}2\nembedder {2}small@16\nembedded {2}0 of 2/);
    expect((await search("my car")).results).toEqual([]);
    const embedded = await ikigai("recall", "embed", "--batch", "1");
    expect(embedded.out).toContain("entries were embedded with small@16");
    expect(embedded.err).toContain("embedded 100 %");
    expect((await search("my car")).results[0]).toMatchObject({
      content: "The automobile is in the yard",
      why: { model: "small@16", vector: expect.any(Number) as number },
    });
    await recall({ op: "insert", content: "A vehicle of the neighbours without a vector yet" });
    expect((await search("neighbours")).results[0]?.content).toContain("without a vector");
    expect((await ikigai("recall", "embed")).out).toBe("1 entries were embedded with small@16.");
    expect((await ikigai("recall", "embed")).out).toBe("0 entries were embedded with small@16.");
    expect(JSON.parse((await ikigai("recall", "status", "--json")).out)).toEqual({
      entries: 3,
      embedded: 3,
      model: "small@16",
    });
  });

  test("that is changed embeds everything anew and never mixes dimensions", async () => {
    await recall({ op: "insert", content: "The automobile is in the yard" });
    await configure(endpoint());
    await ikigai("recall", "embed");
    server.dimensions = 24;
    await configure(endpoint({ model: "large", dimensions: 24 }));
    expect((await ikigai("recall", "status")).out).toContain("embedded  0 of 1");
    expect((await search("my car")).results).toEqual([]);
    await ikigai("recall", "embed");
    expect((await search("my car")).results).toHaveLength(1);
    server.dimensions = 32;
    await configure(endpoint({ model: "large", dimensions: 32 }));
    expect((await search("yard")).results).toHaveLength(1);
    await ikigai("recall", "embed");
    expect((await search("my car")).results[0]?.why.model).toBe("large@32");
  });

  test("sends the key of the variable that is named, and says when it is not set", async () => {
    await configure(endpoint({ api_key_env: "TEST_EMBEDDING_KEY" }));
    await recall({ op: "insert", content: "one entry" });
    const unset = await ikigai("recall", "embed");
    expect(unset).toMatchObject({ code: 1, out: "" });
    expect(unset.err).toContain("TEST_EMBEDDING_KEY");
    process.env["TEST_EMBEDDING_KEY"] = "sk-secret";
    try {
      expect((await ikigai("recall", "embed")).code).toBe(0);
      expect(server.asked.authorization).toContain("Bearer sk-secret");
      server.fault = { status: 401, body: '{"error":{"message":"Incorrect API key provided: sk-secret"}}' };
      await recall({ op: "insert", content: "another entry" });
      const refused = await ikigai("recall", "embed");
      expect(refused.code).toBe(1);
      expect(refused.err).toContain("it answered 401 (Incorrect API key provided: …)");
      expect(refused.err).toContain("Check the key");
      expect(refused.err).not.toContain("sk-secret");
    } finally {
      delete process.env["TEST_EMBEDDING_KEY"];
    }
  });

  test.each<[string, () => void | PromiseLike<void>, string]>([
    ["refuses", () => void (server.fault = { status: 403, body: "no" }), "it answered 403"],
    ["has no such model", () => void (server.fault = { status: 404, body: "{}" }), "it answered 404"],
    ["gives other dimensions", () => void (server.dimensions = 8), "a vector of 8 numbers, 16 were announced"],
    ["is gone", () => server[Symbol.asyncDispose](), "ECONNREFUSED"],
  ])("whose endpoint %s: search goes on with words and says so", async (_, spoil, said) => {
    await recall({ op: "insert", content: "The automobile is in the yard" });
    await configure(endpoint());
    await ikigai("recall", "embed");
    await spoil();
    const found = await search("yard");
    expect(found.results[0]?.content).toBe("The automobile is in the yard");
    expect(found.results[0]?.why.also).toEqual([]);
    expect(found.notes?.join()).toContain(said);
    const none = await search("car");
    expect(none.results).toEqual([]);
    expect(none.notes?.join()).toContain(said);
    await recall({ op: "insert", content: "something new" });
    const embedded = await ikigai("recall", "embed");
    expect(embedded.code).toBe(1);
    expect(embedded.err).toContain(said);
  });

  test("that needs a package which is not there says which, and words still find", async () => {
    await recall({ op: "insert", content: "The automobile is in the yard" });
    await configure({ embedder: { use: "offline" } });
    expect((await search("yard")).notes?.join()).toContain("@energetic-ai/embeddings is not installed");
    expect((await ikigai("recall", "embed")).err).toContain(
      "npm install @energetic-ai/core@0.2.0 @energetic-ai/embeddings@0.2.0",
    );
    await configure({ embedder: { use: "folder", folder: "models/none", dimensions: 4 } });
    expect((await search("yard")).notes?.join()).toContain("@huggingface/transformers is not installed");
  });

  test("of a project counts only when the folder is trusted, and the packages it would load are part of that", async () => {
    const evil = join(workspace.root, "node_modules", "@energetic-ai", "embeddings");
    await mkdir(evil, { recursive: true });
    await writeFile(join(evil, "package.json"), '{"name":"@energetic-ai/embeddings","main":"index.js"}');
    await writeFile(join(evil, "index.js"), "globalThis.sprung = true;");
    await recall({ op: "insert", content: "The automobile is in the yard" });
    await configure({ embedder: { use: "offline" } });
    await search("yard");
    expect((globalThis as { sprung?: boolean }).sprung).toBeUndefined();
    await configure({});
    const config = join(workspace.root, "ikigai.config.json");
    await writeFile(config, JSON.stringify({ recall: { embedder: { use: "offline" } } }));
    await search("yard");
    expect((await ikigai("recall", "status")).out).toContain("embedder  none");
    const shown = await ikigai("trust", "--yes");
    expect(shown.err.replaceAll("\n  ┊ ", "")).toContain(join("node_modules", "@energetic-ai", "embeddings"));
  });

  test.each([
    [{ embedder: { use: "endpoint", base_url: "ftp://x", model: "m", dimensions: 3 } }, "base_url"],
    [{ embedder: { use: "endpoint", base_url: "http://x", model: "m" } }, "dimensions"],
    [{ embedder: { use: "magic" } }, "use"],
    [{ embedder: { use: "offline", key: "sk" } }, "key"],
  ])("that is wrong is named: %j", async (config, field) => {
    await configure(config);
    const { code, err } = await ikigai("recall", "status");
    expect(code).toBe(2);
    expect(err).toContain(field);
  });

  test("is asked for before anything is embedded", async () => {
    const { code, err } = await ikigai("recall", "embed");
    expect(code).toBe(2);
    expect(err).toContain("No embedder is configured");
    await configure(endpoint());
    expect((await ikigai("recall", "embed", "--batch", "x")).code).toBe(2);
  });
});

test("after a change of languages the entries are indexed anew", async () => {
  await recall({ op: "insert", content: "viele Häuser" });
  await configure({ languages: ["german"] });
  expect((await search("Haus")).results).toEqual([]);
  expect((await ikigai("recall", "reindex")).out).toContain("were indexed anew");
  expect((await search("Haus")).results).toHaveLength(1);
  await configure({});
  await ikigai("recall", "reindex");
});

/** The store without the command line around it. */
async function openItself(): Promise<Pick<OpenedStore, "conversations" | "close"> & { assets: AssetStore }> {
  const host = await openHost({ root: workspace.root, store: workspace.store, agent });
  const { database, conversations } = await host.store.open();
  return { assets: createAssetStore(database), conversations, close: () => host.close() };
}

describe("other texts are searched by scope", () => {
  const write = (path: string, content: string, more: object = {}): Promise<Ran> =>
    ikigai("tool", "file_write", JSON.stringify({ path, content, ...more }));
  const contents = async (query: string, scope: string): Promise<string[]> =>
    (await search(query, { scope })).results.map(({ kind, content }) => `${kind}: ${content}`);

  test("assets, which follow their changes, their removal and what is forgotten", async () => {
    await write("ikigai:///blocks/whales.md", "Whales sing in the deep");
    await recall({ op: "insert", content: "An entry about whales" });
    expect(await contents("whales", "assets")).toEqual(["asset: Whales sing in the deep"]);
    const [hit] = (await search("whales", { scope: "assets" })).results;
    expect(hit).toMatchObject({ kind: "asset", label: "blocks/whales.md", address: "ikigai:///blocks/whales.md" });
    expect((await contents("whales", "all")).toSorted()).toEqual([
      "asset: Whales sing in the deep",
      "entry: An entry about whales",
    ]);
    expect(await contents("whales", "entries")).toEqual(["entry: An entry about whales"]);
    await ikigai(
      "tool",
      "file_edit",
      JSON.stringify({ path: "ikigai:///blocks/whales.md", old: "Whales", new: "Dolphins" }),
    );
    expect(await contents("whales", "assets")).toEqual([]);
    expect(await contents("dolphin", "assets")).toEqual(["asset: Dolphins sing in the deep"]);
    await ikigai("undo", "ikigai:///blocks/whales.md");
    expect(await contents("whale", "assets")).toHaveLength(1);
    await ikigai("forget", "ikigai:///blocks/whales.md");
    expect(await contents("whale", "assets")).toEqual([]);
    await write("ikigai:///blocks/other.md", "Whales again");
    expect(await contents("whale", "assets")).toEqual(["asset: Whales again"]);
    await ikigai("undo", "ikigai:///blocks/other.md");
    expect(await contents("whale", "assets")).toEqual([]);
  });

  test("assets that another agent shares, until it takes that back", async () => {
    const other = `${agent}-other`;
    await write("ikigai:///plan.md", "The walrus plan");
    const finds = async (): Promise<string[]> => {
      const { out } = await workspace.run([
        "--agent",
        other,
        "tool",
        "recall",
        '{"op":"search","query":"walrus","scope":"all"}',
      ]);
      return (JSON.parse(out) as Answer).data.results.map(({ content }) => content);
    };
    expect(await finds()).toEqual([]);
    const store = await openItself();
    try {
      await store.assets.share(agent, "plan.md", other, "read_only");
      expect(await finds()).toEqual(["The walrus plan"]);
      await store.assets.share(agent, "plan.md", other, undefined);
      expect(await finds()).toEqual([]);
    } finally {
      await store.close();
    }
  });

  test("long assets as the part that matters", async () => {
    const lines = Array.from({ length: 400 }, (_, i) => `Line ${i + 1} is about nothing at all`);
    lines[300] = "Here the narwhal is described";
    await write("ikigai:///blocks/long.md", lines.join("\n"));
    const [hit] = (await search("narwhals", { scope: "assets" })).results;
    expect(hit?.content).toContain("narwhal");
    expect(hit?.content.length).toBeLessThan(1_300);
    const { start_line: start, total_lines: total } = (
      hit as unknown as { excerpt: { start_line: number; total_lines: number } }
    ).excerpt;
    expect(total).toBe(400);
    expect(hit?.content.split("\n")[301 - start]).toContain("narwhal");
  });

  test("archival blocks, not working ones, as they are now", async () => {
    await writeFile(join(workspace.root, "seals.txt"), "Seals rest on the ice\n");
    const loaded = await ikigai("tool", "file", '{"op":"load","path":"seals.txt"}');
    const { label } = (JSON.parse(loaded.out) as { data: { label: string } }).data;
    expect(await contents("seals", "blocks")).toEqual([]);
    await ikigai("tool", "block", JSON.stringify({ op: "archive", label }));
    expect(await contents("seals", "blocks")).toEqual(["block: Seals rest on the ice\n"]);
    await ikigai("tool", "block_edit", JSON.stringify({ op: "append", label, content: "Otters too" }));
    const [hit] = (await search("otter", { scope: "blocks" })).results;
    expect(hit).toMatchObject({ kind: "block", label, address: `block:///${label}` });
  });

  test("turns of other conversations, without those that were rewound", async () => {
    const store = await openItself();
    try {
      const id = await store.conversations.create(agent);
      const say = (name: string, role: "user" | "assistant", text: string): Promise<void> => {
        const at = "2024-05-01T10:00:00.000Z";
        const message = role === "user" ? { id: name, at, role, text } : { id: name, at, role, text, calls: [] };
        return store.conversations.append(id, [message]);
      };
      await say("1", "user", "Do puffins dive?");
      await store.conversations.mark(id, "here");
      expect(await contents("puffin", "turns")).toEqual(["turn: user: Do puffins dive?"]);
      await say("2", "assistant", "Puffins dive deep");
      const [hit] = (await search("puffins deep", { scope: "turns" })).results;
      expect(hit).toMatchObject({ kind: "turn", thread: id, address: `conversation:///${id}/2` });
      await store.conversations.rewind(id, "here");
      expect(await contents("puffin", "turns")).toEqual(["turn: user: Do puffins dive?"]);
    } finally {
      await store.close();
    }
  });
});

test("recall search lists what was kept, with its id and date, and as JSON", async () => {
  const kept = { op: "insert", content: "The heron nests at the north pond" };
  await workspace.run(["tool", "recall", JSON.stringify(kept), "--approve", "all"]);
  const { code, out } = await workspace.run(["recall", "search", "heron", "nests"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^\S+ {2}\d{4}-\d{2}-\d{2}[^\n]*\n {4}The heron nests at the north pond/);
  const [first] = JSON.parse((await workspace.run(["recall", "search", "heron", "--limit", "1", "--json"])).out) as {
    content: string;
  }[];
  expect(first?.content).toBe(kept.content);
  expect((await workspace.run(["recall", "search", "zebrafish"])).out).toBe('Nothing was found for "zebrafish".');
  expect((await workspace.run(["recall", "search", "x", "--limit", "none"])).code).toBe(2);
  expect((await workspace.run(["recall", "search", "x", "--scope", "none"])).code).toBe(2);
});
