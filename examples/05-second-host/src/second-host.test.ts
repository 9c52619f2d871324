import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { stopKeeper } from "@ikigai/database";
import { afterAll, beforeAll, expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("../dist/second-host.js", import.meta.url));

interface Answer {
  readonly success: boolean;
  readonly data?: Readonly<Record<string, unknown>> & { readonly results?: readonly { readonly content: string }[] };
  readonly error?: string;
  readonly code?: string;
}

let base: string;
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-second-host-"));
  const env = { ...process.env, XDG_CONFIG_HOME: base };
  await mkdir(join(base, "ikigai"));
  await mkdir(join(base, "work"));
  await writeFile(join(base, "ikigai/ikigai.config.json"), JSON.stringify({ budget: 200 }));
  await writeFile(join(base, "work/a.txt"), "one\n");
  server = spawn(process.execPath, [PROGRAM, join(base, "work"), join(base, "store")], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  url = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout as NodeJS.ReadableStream }).once("line", resolve);
    server.once("exit", () => reject(new Error("the server ended")));
  });
}, 60_000);

afterAll(async () => {
  if (server.exitCode === null) {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await ended;
  }
  await stopKeeper(join(base, "store/postgres"));
  await rm(base, { recursive: true, force: true });
});

async function post(path: string, body: unknown, client = "test"): Promise<Answer> {
  const answer = await fetch(new URL(path, url), {
    method: "POST",
    headers: { "x-client": client },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Answer;
}

const call = (name: string, input: unknown, client?: string): Promise<Answer> =>
  post("call", { name, arguments: input }, client);

/** Answers everything that waits on the page, as a person with a browser does, until `done` is. */
async function answering<T>(done: Promise<T>, key: "Allow" | "Deny" = "Allow"): Promise<T> {
  const state = { ended: false };
  const end = (): void => void (state.ended = true);
  done.then(end, end);
  while (!state.ended) {
    const page = await (await fetch(url)).text();
    for (const [, yes = "", no = ""] of page.matchAll(/action="(\/answer\/[^"?]+)"[^]*?formaction="([^"]+)"/g))
      await fetch(new URL(key === "Allow" ? no : yes, url), { method: "POST" });
  }
  return done;
}

test("an edit asks on the page, is made after a yes, and is undone by a command", async () => {
  const edited = await answering(call("file_edit", { path: "a.txt", old: "one", new: "two" }));
  expect(edited).toMatchObject({ success: true, data: { replacements: 1 } });
  expect(await readFile(join(base, "work/a.txt"), "utf8")).toBe("two\n");
  expect(await post("command", { line: "/undo a.txt" })).toMatchObject({ success: true });
  expect(await readFile(join(base, "work/a.txt"), "utf8")).toBe("one\n");
}, 120_000);

test("a no on the page changes nothing", async () => {
  const refused = await answering(call("file_edit", { path: "a.txt", old: "one", new: "evil" }), "Deny");
  expect(refused).toMatchObject({ success: false, code: "permission_denied" });
  expect(await readFile(join(base, "work/a.txt"), "utf8")).toBe("one\n");
});

test("what would not fit the budget of pinned texts is refused with its numbers", async () => {
  await answering(call("file_write", { path: "ikigai:///blocks/a.md", content: "short" }));
  expect(await post("command", { line: "/pin blocks/a.md" })).toMatchObject({ success: true });
  const long = "many words of a long text ".repeat(100);
  const refused = await answering(call("file_edit", { path: "ikigai:///blocks/a.md", old: "short", new: long }));
  expect(refused).toMatchObject({ success: false, code: "over_budget" });
  expect(refused.error).toContain("200");
});

test("the second host recalls an entry that was inserted", async () => {
  await answering(call("recall", { op: "insert", content: "The narwhal has one long tooth" }));
  const found = await call("recall", { op: "search", query: "narwhals" });
  expect(found.data?.results?.[0]?.content).toBe("The narwhal has one long tooth");
});

test("two clients at once keep each other's edits, and neither overwrites what it has not seen", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index} old`).join("\n");
  await answering(call("file_write", { path: "shared.txt", content: lines }));
  const edits = Array.from({ length: 40 }, (_, index) =>
    call(
      "file_edit",
      { path: "shared.txt", old: `line ${index} old`, new: `line ${index} new` },
      `client-${index % 2}`,
    ),
  );
  const answers = await answering(Promise.all(edits));
  const text = await readFile(join(base, "work/shared.txt"), "utf8");
  const kept = answers.filter(({ success }, index) => !success || text.includes(`line ${index} new`));
  expect(kept).toHaveLength(40);
  expect(answers.filter(({ success }) => success).length).toBeGreaterThan(0);
  expect(await answering(call("file_write", { path: "shared.txt", content: "mine" }, "stranger"))).toMatchObject({
    success: false,
    code: "conflict",
  });
}, 60_000);

test("the page shows a call as text, and a request of a foreign page is refused", async () => {
  const asking = call("file_write", { path: "<img src=x>.txt", content: "x" });
  await expect.poll(async () => (await fetch(url)).text(), { timeout: 30_000 }).toContain("&#60;img src=x&#62;");
  await answering(asking, "Deny");
  expect((await fetch(new URL("call", url), { method: "POST", body: "{}" })).status).toBe(400);
});

test("curl, a client that nobody here wrote, is answered too", async () => {
  const given = JSON.stringify({ name: "file_read", arguments: { path: "a.txt" } });
  const { stdout } = await promisify(execFile)("curl", ["-s", "-H", "x-client: curl", "-d", given, `${url}call`]);
  expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { content: "one\n" } });
});

/** What waits on the page. */
const waiting = async (): Promise<string> => (await fetch(url)).text();

test("the question of a client that went away goes with it", async () => {
  const gone = new AbortController();
  const asked = fetch(new URL("call", url), {
    method: "POST",
    headers: { "x-client": "gone" },
    body: JSON.stringify({ name: "file_write", arguments: { path: "gone.txt", content: "x" } }),
    signal: gone.signal,
  });
  await expect.poll(waiting, { timeout: 20_000 }).toContain("gone.txt");
  gone.abort();
  await expect(asked).rejects.toThrow("aborted");
  await expect.poll(waiting, { timeout: 20_000 }).not.toContain("gone.txt");
});

test("a server that ends answers the call that waits for a person, and ends", async () => {
  const asked = call("file_write", { path: "late.txt", content: "x" });
  await expect.poll(waiting, { timeout: 20_000 }).toContain("late.txt");
  server.kill("SIGTERM");
  expect(await asked).toMatchObject({ success: false, code: "aborted" });
  await expect.poll(() => server.exitCode, { timeout: 20_000 }).toBe(0);
}, 60_000);
