import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openHost } from "@ikigai/host";
import { afterAll, expect, test } from "vitest";
import { connectOverStdio, PROCESSES_MS } from "../mcp/testing/official-client.ts";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";
import { greetingPart } from "../testing/greeting-part.ts";

afterAll(closeSharedStore);
const greeting = fileURLToPath(new URL("../../dist/testing/greeting-part.js", import.meta.url));
const SLOW = { timeout: 300_000 };
const ann = JSON.stringify({ name: "Ann" });

test("a part is added, has no effect before it is trusted, is listed, checked and removed", SLOW, async () => {
  const { root, run, close } = await openWorkspace();
  const file = join(root, "ikigai.config.json");
  await writeFile(file, '{ "budget": 5000 }\n');
  expect(await run(["plugin", "add", greeting, "--mount", "x"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("--mount is for sources"),
  });
  expect(await run(["plugin", "add", greeting, "--options", '{"word":7}'])).toMatchObject({
    code: 2,
    err: expect.stringContaining("parts.0.options.word"),
  });
  expect(await run(["plugin", "check", greeting])).toMatchObject({
    code: 2,
    err: expect.stringContaining(`ikigai plugin add ${greeting}`),
  });
  const added = await run(["plugin", "add", greeting, "--options", '{"word":"Ahoy"}']);
  expect(added).toMatchObject({ code: 0, out: `Added the part ${greeting}` });
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    budget: 5000,
    parts: [{ use: greeting, options: { word: "Ahoy" } }],
  });
  expect(await run(["plugin", "add", greeting])).toMatchObject({ code: expect.any(Number), out: "" });
  expect(JSON.parse((await run(["tool", "greet", ann])).out)).toMatchObject({ success: false });
  expect((await run(["plugin", "list"])).out).toContain("not trusted");

  expect((await run(["trust"])).err).toContain(greeting);
  await run(["trust", "--yes"]);
  expect(JSON.parse((await run(["plugin", "list", "--json"])).out)).toEqual([
    { part: "greeting", use: greeting, state: "ok" },
  ]);
  const called = JSON.parse((await run(["tool", "greet", ann])).out) as unknown;
  expect(called).toEqual({ success: true, data: { text: "Ahoy, Ann!" } });
  const typed = await run(["tool", "slash_command", '{"command":"/greet Ben"}']);
  expect(typed.out).toContain("Ahoy, Ben!");
  expect(await run(["greet", "Ben"])).toMatchObject({ code: 0, out: "Ahoy, Ben!" });
  expect(await run(["graet", "Ben"])).toMatchObject({ code: 2, err: expect.stringContaining("There is no command") });
  expect((await run(["sources"])).out).toMatch(
    /^greeting +\S+greeting-part\.js +part +open .*greet, \/greet, greetings:\/\/\/$/m,
  );
  expect((await run(["doctor"])).out).toMatch(/^ok +part greeting: greet, /m);
  expect((await run(["tools", "--cost"])).out).toMatch(/^greeting /m);
  const denied = await run(["tool", "file_write", '{"path":"silent.txt","content":"x"}', "--approve", "all"]);
  expect(denied.out).toContain("silence is kept");
  expect(await run(["plugin", "check", greeting, "--scratch", "x"])).toMatchObject({ code: 2 });
  const checked = await run(["plugin", "check", greeting]);
  expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(/^ok part\/opens-and-closes-again$/m) });
  expect((await run(["plugin", "remove", greeting])).out).toContain("Removed");
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ budget: 5000, parts: [] });
  await close();
});

test("parts that cannot be opened are named with the reason and left out, and the others work", SLOW, async () => {
  const { root, run, close } = await openWorkspace();
  await writeFile(join(root, "loud.mjs"), "process.exit(3);");
  await writeFile(join(root, "none.mjs"), "export const nothing = 1;");
  const parts = [
    { use: "./missing.mjs" },
    { use: "./loud.mjs" },
    { use: "./none.mjs" },
    { use: `${greeting}#greetingPart`, options: { word: 7 } },
    { use: greeting },
    { use: `${greeting}#greetingPart` },
  ];
  await writeFile(
    join(root, "ikigai.config.json"),
    JSON.stringify({ parts, sources: [{ use: greeting, mount: "x" }] }),
  );
  await run(["trust", "--yes"]);
  const called = await run(["tool", "greet", ann]);
  expect(JSON.parse(called.out)).toEqual({ success: true, data: { text: "Hello, Ann!" } });
  expect(called.err).toContain('part "./missing.mjs" was left out: Plugin "./missing.mjs" failed at import');
  expect(called.err).toContain(
    'part "./loud.mjs" was left out: Plugin "./loud.mjs" failed at import: it ended the process',
  );
  expect(called.err).toContain("it exports 0 part definitions, not one");
  expect(called.err).toContain("parts.3.options.word: ");
  expect(called.err).toContain('There is a part "greeting" already');
  expect(called.err).toContain('source "x" was left out');
  expect(called.err).toContain('Name it under "parts" in the configuration.');
  const listed = await run(["sources", "--json"]);
  expect(listed.code).toBe(1);
  const rows = JSON.parse(listed.out) as { kind?: string; state: string }[];
  expect(rows.filter(({ kind }) => kind === "part").map(({ state }) => state)).toEqual([
    "open",
    "failed",
    "failed",
    "failed",
    "failed",
    "failed",
  ]);
  expect(await run(["doctor"])).toMatchObject({ code: 1, out: expect.stringContaining("fail  part ./missing.mjs") });
  await close();
});

test(
  "an MCP client is offered a part's tools and told what it says, and its work ends with the server",
  async () => {
    const { root, store, run, close } = await openWorkspace();
    await writeFile(join(root, "ikigai.config.json"), JSON.stringify({ parts: [{ use: greeting }] }));
    await run(["trust", "--yes"]);
    const followed = (): Promise<string> => readFile(join(store, "greeting/followed"), "utf8").catch(() => "no");
    for (const tools of [[], ["--tools", "greeting"]]) {
      const client = await connectOverStdio(["--root", root, "--store", store, "mcp", ...tools]);
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain("greet");
      expect(names.includes("recall")).toBe(tools.length === 0);
      expect(client.getInstructions()).toContain("Greet the user with the tool greet.");
      expect(await client.callTool({ name: "greet", arguments: { name: "Ann" } })).toMatchObject({
        content: [{ type: "text", text: "Hello, Ann!" }],
      });
      await expect.poll(followed).toBe("yes");
      await client.close();
      await expect.poll(followed, { timeout: 20_000 }).toBe("ended");
    }
    await close();
  },
  2 * PROCESSES_MS,
);

test("an application gives its host parts as values, alone or with options", SLOW, async () => {
  const { root, store, close } = await openWorkspace();
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const wrong = { ...greetingPart, name: "wrong", contract: 2 as never };
  const host = await openHost({ root, store, warn, parts: [[greetingPart, { word: "Hi" }], wrong] });
  expect(await host.call({ name: "greet", arguments: { name: "Ann" } })).toEqual({
    success: true,
    data: { text: "Hi, Ann!" },
  });
  expect(await host.command("/greet Ben")).toMatchObject({ success: true, data: { output: "Hi, Ben!" } });
  expect(host.guidance(["greet"])).toEqual(["Greet the user with the tool greet."]);
  expect(host.sources.status().map(({ mount }) => mount)).toContain("greetings");
  expect(warnings).toEqual([expect.stringContaining('part "wrong" was left out: Part "wrong" speaks contract 2')]);
  await host.close();
  const second = {
    ...greetingPart,
    name: "file-thief",
    open: async () => ({ mounts: [{ mount: "pin", source: {} as never }] }),
  };
  const guarded = await openHost({ root, store, parts: [second] });
  expect(guarded.parts().find(({ part }) => part === "file-thief")?.error).toContain("a mount that ikigai itself has");
  await guarded.close();
  await close();
});
