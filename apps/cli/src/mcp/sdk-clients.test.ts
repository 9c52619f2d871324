import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";
import { PROCESSES_MS } from "./testing/official-client.ts";
import { connectSdk, type SdkClient, SDKS, TRANSPORTS } from "./testing/sdk-clients.ts";

const growing = fileURLToPath(new URL("../../../../tools/clients/growing-server.mjs", import.meta.url));
vi.setConfig({ testTimeout: PROCESSES_MS, hookTimeout: PROCESSES_MS });
const BUDGET = 1_000;
const END = "THE-LAST-LINE";

afterAll(closeSharedStore);

const pairs = SDKS.flatMap((sdk) => TRANSPORTS.map((transport) => ({ sdk, transport })));

describe.each(pairs)("a client of the official library $sdk over $transport", ({ sdk, transport }) => {
  let workspace: Awaited<ReturnType<typeof openWorkspace>>;
  let client: SdkClient;

  beforeAll(async () => {
    workspace = await openWorkspace();
    const { root, store } = workspace;
    const config = join(process.env["XDG_CONFIG_HOME"] ?? "", "ikigai");
    await mkdir(config, { recursive: true });
    const server = { command: process.execPath, args: [growing, join(config, "grow")] };
    await writeFile(join(config, "ikigai.config.json"), JSON.stringify({ mcp: { servers: { growing: server } } }));
    await workspace.run(["budget", String(BUDGET)]);
    await writeFile(join(root, "small.txt"), linesOf(7_000));
    await writeFile(join(root, "large.txt"), linesOf(200_000));
    await writeFile(join(root, "plan.txt"), "first\n");
    client = await connectSdk(sdk, transport, ["--root", root, "--store", store]);
  });
  afterAll(async () => {
    await client.close();
    await workspace.close();
  });

  test("is offered the tools", async () => {
    const names = await client.toolNames();
    expect(names).toEqual(expect.arrayContaining(["file_read", "file_write", "file_edit", "grep", "glob", "recall"]));
  });

  test("reads a text of 7 kB whole, as it is", async () => {
    const text = await client.call("file_read", { path: "small.txt" });
    expect(text).toContain(await readFile(join(workspace.root, "small.txt"), "utf8"));
  });

  test("reads a text of 200 kB on until its last line by what each answer says", async () => {
    let text = await client.call("file_read", { path: "large.txt" });
    const seen = new Set(lineNumbers(text));
    for (let calls = 1; !text.includes(END); calls++) {
      expect(text).toMatch(/total_lines/);
      expect(calls).toBeLessThan(40);
      text = await client.call("file_read", { path: "large.txt", offset: (lineNumbers(text).at(-1) ?? 0) + 1 });
      for (const number of lineNumbers(text)) seen.add(number);
    }
    const whole = await readFile(join(workspace.root, "large.txt"), "utf8");
    expect(seen.size).toBe(lineNumbers(whole).length);
  });

  test("is told of a conflict by its code, the path and what to do", async () => {
    await client.call("file_read", { path: "plan.txt" });
    await writeFile(join(workspace.root, "plan.txt"), "changed by a person\n");
    const text = await client.call("file_write", { path: "plan.txt", content: "overwritten\n" });
    expect(text).toMatch(/conflict/);
    expect(text).toMatch(/plan\.txt/);
    expect(text).toMatch(/read/i);
    expect(await readFile(join(workspace.root, "plan.txt"), "utf8")).toBe("changed by a person\n");
  });

  test("is told that a text is over the budget by its code and the numbers", async () => {
    const content = "one two three four ".repeat(BUDGET);
    const text = await client.call("file_write", { path: "ikigai:///blocks/too-large.md", content });
    expect(text).toMatch(/over_budget/);
    expect(text).toMatch(new RegExp(`0/${BUDGET} tokens`));
  });

  test("asks its person, and does what the person answers", async () => {
    const write = { path: ".git/description", content: "a project\n" };
    client.answerWith("deny");
    expect(await client.call("file_write", write)).toMatch(/permission_denied/);
    client.answerWith("allow");
    expect(await client.call("file_write", write)).not.toMatch(/denied|thrown/);
    expect(await readFile(join(workspace.root, ".git", "description"), "utf8")).toBe("a project\n");
  });

  test("hears that the list of tools changed, and then lists the new one", async () => {
    expect(await client.toolNames()).not.toContain("growing__late");
    await writeFile(join(process.env["XDG_CONFIG_HOME"] ?? "", "ikigai", "grow"), "");
    await client.toolsChanged;
    await expect.poll(() => client.toolNames(), { timeout: 20_000 }).toContain("growing__late");
  });

  test("is told when its server was killed, and what it wrote before is there", async () => {
    const path = `ikigai:///blocks/${sdk}-${transport}.md`.replaceAll(" ", "-");
    expect(await client.call("file_write", { path, content: "kept\n" })).not.toMatch(/thrown/);
    client.killServer();
    expect(await client.call("file_read", { path: "small.txt" })).toMatch(/^thrown: /);
    expect((await workspace.run(["tool", "file_read", JSON.stringify({ path })])).out).toContain("kept");
  });
});

function linesOf(size: number): string {
  const lines: string[] = [];
  for (let length = 0; length < size; length += (lines.at(-1)?.length ?? 0) + 1) {
    lines.push(`${lines.length + 1}. The "quick" fox jumps\tover the lazy dog, and nobody knows why.`);
  }
  return `${lines.join("\n")}\n${END}\n`;
}

function lineNumbers(text: string): number[] {
  return [...text.matchAll(/^(\d+)\. The "quick" fox .* why\.$/gm)].map(([, number]) => Number(number));
}
