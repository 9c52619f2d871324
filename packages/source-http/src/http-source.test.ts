import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { DataBlock, SourceHost } from "@ikigai/core";
import { testDataBlock } from "@ikigai/core/testing";
import fc from "fast-check";
import { afterEach, beforeAll, afterAll, describe, expect, test } from "vitest";
import { createCachedFetch } from "./cached-fetch.ts";
import { httpSource } from "./index.ts";
import { type HttpSourceOptions } from "./options.ts";
import { readIndex } from "./read-index.ts";

const host: SourceHost = { mount: "web", signal: new AbortController().signal, services: {}, warn: () => {} };
const servers: Server[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function stop(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

const open = (options: HttpSourceOptions): Promise<DataBlock> => httpSource.open(options, host);

async function paths(source: DataBlock, prefix = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of source.list(prefix)) found.push(path);
  return found;
}

const SEED: Readonly<Record<string, string>> = {
  "README.md": "# Hello\n",
  "docs/a b.md": "\uFEFFmark\r\n",
  "docs/naïve 🧠.md": "two\n",
  "docs/50%?#.md": "odd",
};

/** A server of the seed, as a JSON API and as pages of links. */
function seedServer(): RequestListener {
  return ({ url = "" }, response) => {
    const path = decodeURIComponent(url.slice(1));
    const links = (names: readonly string[]): string =>
      names.map((name) => `<a class=x href="${name.split("/").map(encodeURIComponent).join("/")}">x</a>`).join("");
    if (path === "list.json") {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ data: { all: [...Object.keys(SEED).map((name) => ({ name })), { other: 1 }, "/bad"] } }),
      );
    } else if (path === "")
      response.end(`<a href="../">up</a><a href="?C=N">sort</a>${links(["README.md"])}<a href='docs/'>d</a>`);
    else if (path === "docs/") {
      const names = Object.keys(SEED).filter((name) => name.startsWith("docs/"));
      response.end(
        `${links(names.map((name) => name.slice(5)))}<a href="http://elsewhere.test/x">x</a><a href="/docs/%ff">x</a>`,
      );
    } else if (Object.hasOwn(SEED, path)) response.end(SEED[path]);
    else response.writeHead(404).end();
  };
}

describe("the contract", () => {
  let url: string;
  let own: Server[];
  beforeAll(async () => {
    url = await serve(seedServer());
    own = servers.splice(0);
  });
  afterAll(() => {
    servers.push(...own);
    stop();
  });
  describe("over a JSON list", () => {
    const options = () => ({ url, index: "list.json", items: "data.all", pathField: "name" });
    testDataBlock({ test, source: httpSource, seed: SEED, options });
  });
  describe("over a JSON list of what the suite itself puts there", () => {
    const places = new Map<string, Map<string, string>>();
    let base: string;
    beforeAll(async () => {
      base = await serve(({ url: asked = "" }, response) => {
        const [, place = "", ...segments] = asked.split("/");
        const path = decodeURIComponent(segments.join("/"));
        const texts = places.get(place) ?? new Map<string, string>();
        const text = path === "" ? JSON.stringify([...texts.keys()]) : texts.get(path);
        if (text === undefined) return void response.writeHead(404).end();
        if (path === "") response.setHeader("content-type", "application/json");
        response.end(text);
      });
      own.push(...servers.splice(0));
    });
    testDataBlock({
      test,
      source: httpSource,
      options() {
        const place = String(places.size);
        places.set(place, new Map());
        return { url: `${base}${place}/` };
      },
      put({ url: to }: { url: string }, texts) {
        const place = places.get(to.split("/").at(-2) ?? "");
        for (const [path, text] of Object.entries(texts)) {
          if (text === undefined) place?.delete(path);
          else place?.set(path, text);
        }
      },
    });
  });
  describe("over pages of links", () => {
    testDataBlock({ test, source: httpSource, seed: SEED, options: () => ({ url: url.slice(0, -1) }) });
  });
});

afterEach(stop);

test("an unchanged document is not sent twice", async () => {
  const asked: (string | undefined)[] = [];
  let version = 1;
  const url = await serve(({ headers }, response) => {
    asked.push(headers["if-none-match"]);
    const tag = `"v${version}"`;
    if (headers["if-none-match"] === tag) return void response.writeHead(304).end();
    response.setHeader("etag", tag);
    response.end(`text ${version}`);
  });
  const source = await open({ url });
  const first = await source.read("a.md");
  expect(await source.read("a.md")).toEqual(first);
  version = 2;
  expect((await source.read("a.md"))?.text).toBe("text 2");
  expect(asked).toEqual([undefined, '"v1"', '"v1"']);
});

test("a document is used again for as long as the options say", async () => {
  let requests = 0;
  const url = await serve((_, response) => void response.setHeader("last-modified", "x").end(`${++requests}`));
  let now = 0;
  const limits = { headers: {}, maxBytes: 100, timeoutMs: 5_000, maxAgeMs: 10, cacheBytes: 100 };
  const get = createCachedFetch(limits, () => now);
  const read = async (): Promise<string | undefined> => (await get(new URL("a", url)))?.body.toString();
  expect([await read(), await read()]).toEqual(["1", "1"]);
  now = 10;
  expect(await read()).toBe("2");
});

test("the cache holds as much as it may, and nothing that must not be stored", async () => {
  const asked: string[] = [];
  const url = await serve((request, response) => {
    asked.push(`${request.url}${request.headers["if-none-match"] === undefined ? "" : " again"}`);
    response.setHeader("etag", '"x"');
    if (request.url === "/secret") response.setHeader("cache-control", "no-store");
    response.end("x".repeat(40));
  });
  const source = await open({ url, cacheBytes: 100 });
  for (const path of ["a", "b", "c", "a", "c", "secret", "secret"]) await source.read(path);
  expect(asked).toEqual(["/a", "/b", "/c", "/a", "/c again", "/secret", "/secret"]);
});

test("the HTTP source follows redirects within the origin only, and sends headers nowhere else", async () => {
  let leaked = 0;
  const other = await serve((_, response) => void response.end(`${++leaked}`));
  const url = await serve(({ url: at = "", headers }, response) => {
    const targets: Record<string, string> = { "/near": "/there", "/far": other, "/odd": "http://[", "/loop": "/loop" };
    const target = targets[at];
    if (target === undefined) response.end(`${at} ${headers.authorization}`);
    else response.writeHead(302, { location: target }).end();
  });
  const source = await open({ url, headers: { authorization: "Bearer x" } });
  expect((await source.read("near"))?.text).toBe("/there Bearer x");
  for (const path of ["far", "odd"])
    await expect(source.read(path)).rejects.toMatchObject({ code: "permission_denied" });
  await expect(source.read("loop")).rejects.toThrow("more than 5 times");
  expect(leaked).toBe(0);
});

test("an endless or a silent answer ends with a typed error", async () => {
  const url = await serve(({ url: at }, response) => {
    if (at === "/silent") return;
    const pour = (): void => {
      while (!response.destroyed && response.write("x".repeat(1_000)));
    };
    response.on("drain", pour);
    pour();
  });
  const source = await open({ url, maxBytes: 10_000, timeoutMs: 200 });
  await expect(source.read("flood")).rejects.toMatchObject({ code: "unsupported" });
  await expect(source.read("silent")).rejects.toMatchObject({ code: "timeout" });
  const leaving = new AbortController();
  const reading = source.read("silent", { signal: leaving.signal });
  leaving.abort();
  await expect(reading).rejects.toMatchObject({ code: "aborted" });
});

test.each([
  [401, "permission_denied"],
  [403, "permission_denied"],
  [500, "unavailable"],
  [429, "unavailable"],
])("a status of %i is never taken for absence", async (status, code) => {
  const url = await serve((_, response) => void response.writeHead(status).end());
  const source = await open({ url });
  await expect(source.read("a.md")).rejects.toMatchObject({ code });
  await expect(paths(source)).rejects.toMatchObject({ code });
});

test("a server that is not there is unavailable, and so is a list", async () => {
  const url = await serve((_, response) => void response.writeHead(404).end());
  await expect(paths(await open({ url }))).rejects.toThrow("gives no list of paths");
  stop();
  await expect((await open({ url })).read("a.md")).rejects.toMatchObject({ code: "unavailable" });
});

test.each(["{", "{}", '"x"', "null"])("the JSON %s is no list", async (body) => {
  const url = await serve((_, response) => void response.setHeader("content-type", "application/json").end(body));
  await expect(paths(await open({ url }))).rejects.toMatchObject({ code: "unavailable" });
  await expect(paths(await open({ url, items: "a.b" }))).rejects.toMatchObject({ code: "unavailable" });
});

test("a directory without end is refused", async () => {
  const url = await serve((_, response) => void response.end('<a href="deeper/">x</a>'));
  await expect(paths(await open({ url }))).rejects.toThrow("more than 200 folders");
});

test("documents of an API have an address of their own", async () => {
  const url = await serve(({ url: at = "" }, response) => void response.end(at));
  const source = await open({ url: `${url}api`, document: "items/{path}?format=text" });
  expect((await source.read("$& a/7"))?.text).toBe("/api/items/%24%26%20a/7?format=text");
});

test("bytes that are no text are refused", async () => {
  const url = await serve((_, response) => void response.end(Buffer.from([0xff, 0xfe])));
  await expect((await open({ url })).read("a")).rejects.toMatchObject({ code: "unsupported" });
});

test.each([
  { url: "ftp://example.org/" },
  { url: "http://ana:secret@example.org/" },
  { url: "http://example.org/?a=b" },
  { url: "http://example.org/", index: "http://elsewhere.test/" },
  { url: "http://example.org/", index: "//elsewhere.test/" },
  { url: "http://example.org/", document: "no-place" },
  { url: "http://example.org/", headers: { "x-a": "b\r\nc: d" } },
])("the options %j are refused", async (options) => {
  expect((await httpSource.options["~standard"].validate(options)).issues).toBeDefined();
});

test("no page of links gives a path that leaves the base", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.string(), fc.webPath(), fc.constantFrom("..", "%2e%2e/x", "//h/x"))),
      async (hrefs) => {
        const base = new URL("http://example.org/docs/");
        const body = Buffer.from(hrefs.map((href) => `<a href="${href}">`).join(""));
        const answer = { status: 200, headers: new Headers(), body, url: base };
        let pages = 0;
        const get = async () => (pages++ === 0 ? answer : { ...answer, body: Buffer.alloc(0) });
        for (const path of await readIndex({ base, index: base, items: undefined, pathField: "path" }, get)) {
          expect(new URL(path.split("/").map(encodeURIComponent).join("/"), base).pathname.startsWith("/docs/")).toBe(
            true,
          );
        }
      },
    ),
  );
});
