import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that speaks the embeddings protocol, with a word's hash as its only idea of meaning. */
export interface EmbeddingServer extends AsyncDisposable {
  readonly url: string;
  /** How many texts were embedded. */
  readonly asked: { texts: number; requests: number; authorization: (string | undefined)[] };
  /** What to answer instead, from now on. */
  fault: { status: number; body: string; headers?: Record<string, string> } | undefined;
  dimensions: number;
}

/** Words of one line mean the same. */
const MEANINGS = ["car automobile vehicle", "soup broth", "dog puppy hound"];

export async function openEmbeddingServer(dimensions = 16): Promise<EmbeddingServer> {
  const asked: EmbeddingServer["asked"] = { texts: 0, requests: 0, authorization: [] };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { fault } = opened;
      asked.requests += 1;
      asked.authorization.push(request.headers.authorization);
      if (fault !== undefined) return void response.writeHead(fault.status, fault.headers).end(fault.body);
      if (request.url !== "/v1/embeddings") return void response.writeHead(404).end("{}");
      const { input, model } = JSON.parse(text) as { input: string[]; model: string };
      asked.texts += input.length;
      const data = input.map((one, index) => ({ object: "embedding", index, embedding: vectorOf(one, opened) }));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", model, data }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const opened: EmbeddingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    fault: undefined,
    dimensions,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return opened;
}

function vectorOf(text: string, { dimensions }: EmbeddingServer): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const meaning = MEANINGS.findIndex((line) => line.split(" ").includes(word));
    const at = meaning === -1 ? MEANINGS.length + (word.length % (dimensions - MEANINGS.length)) : meaning;
    vector[at] = (vector[at] ?? 0) + (meaning === -1 ? 0.1 : 1);
  }
  return vector;
}
