import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type EmbeddingServer, openEmbeddingServer } from "./embedding-server.test.helper.ts";
import { closeSharedStore, openWorkspace, type Ran } from "./testing.ts";

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
});

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

describe("an embedder in the configuration", () => {
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
    ["gives other dimensions", () => void (server.dimensions = 8), "a vector of 8 numbers, 16 finite ones"],
    ["is gone", () => server[Symbol.asyncDispose](), "ECONNREFUSED"],
  ])("whose endpoint %s: search goes on with words and says so", async (_, spoil, said) => {
    await recall({ op: "insert", content: "The automobile is in the yard" });
    await configure(endpoint());
    await ikigai("recall", "embed");
    await spoil();
    const found = await search("yard");
    expect(found.results[0]?.content).toBe("The automobile is in the yard");
    expect(found.results[0]?.why.also.join()).toContain(said);
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
    expect((await ikigai("recall", "embed")).err).toContain("npm install @energetic-ai/embeddings");
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
    expect(shown.err).toContain(join("embeddings", "index.js"));
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
