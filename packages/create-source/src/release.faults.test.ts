import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linkedPlugin, runIn } from "./testing/linked-plugin.ts";

let base: string;
beforeAll(async () => void (base = await mkdtemp(join(tmpdir(), "ikigai-released-"))));
afterAll(() => rm(base, { recursive: true, force: true }));

test("a release raises the version, commits it and publishes it, and 0.0.0 is never published", async () => {
  const directory = join(base, "released");
  await linkedPlugin(directory, "block");
  const published: string[] = [];
  const registry = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      if (request.method === "PUT") published.push(...Object.keys((JSON.parse(body) as { versions: object }).versions));
      response.writeHead(request.method === "PUT" ? 201 : 404, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  const { port } = registry.address() as AddressInfo;
  await writeFile(join(directory, ".npmrc"), `//127.0.0.1:${port}/:_authToken=none\n`);
  const env = {
    npm_config_registry: `http://127.0.0.1:${port}/`,
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.org",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.org",
  };
  const run = (command: string, ...args: string[]) => runIn(directory, command, args, env);
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
    ["commit", "--quiet", "--message", "x"],
  ])
    await run("git", ...args);
  try {
    const early = await run("npm", "publish");
    expect(early).toMatchObject({ code: 1, output: expect.stringContaining("0.0.0 is no version to publish") });
    expect(published).toEqual([]);
    const released = await run("npm", "run", "release");
    expect(released, released.output).toMatchObject({ code: 0 });
    expect(published).toEqual(["0.1.0"]);
    const tagged = await run("git", "show", "v0.1.0:package.json");
    expect(JSON.parse(tagged.output)).toMatchObject({ version: "0.1.0" });
  } finally {
    registry.close();
  }
});
