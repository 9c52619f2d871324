// What a user of one package alone would do with it: a real operation for each. Each prints "ok".
const mounted = (pkg, name, options, use) => `
  import assert from "node:assert";
  import { createSourceManager } from "@ikigai/core/host";
  import { ${name} } from "${pkg}";
  const sources = createSourceManager();
  await sources.mount({ mount: "x", source: ${name}, options: ${options} });
  const { source } = sources.routePrefix("x:///");
  ${use}
  await sources.close();
  console.log("ok");`;

const WRITE_AND_READ = `
  await source.write("a.md", "hello", { expected: null });
  assert.equal((await source.read("a.md")).text, "hello");`;

const called = (imports, tools, call, expected) => `
  import assert from "node:assert";
  import { createPolicy, createSourceManager, createToolRegistry } from "@ikigai/core/host";
  import { memorySource } from "@ikigai/core/testing";
  ${imports}
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: memorySource });
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
  ${tools}
  const envelope = await registry.call(${call}, { agent: "ann", conversation: "c" });
  assert.match(JSON.stringify(envelope), ${expected});
  console.log("ok");`;

const stored = (imports, sets, use) => `
  import assert from "node:assert";
  import { migrate, openDatabase, stopKeeper } from "@ikigai/database";
  ${imports}
  const database = openDatabase({ directory: "./store" });
  await migrate(database, ${sets});
  ${use}
  await database.close();
  await stopKeeper("./store");
  console.log("ok");`;

export const PROGRAMS = {
  "@ikigai/core": called(
    "",
    'registry.register([{ name: "hi", description: "x", input: { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: "object", properties: {} }), output: () => ({}) } } }, effects: () => [], run: async () => "there" }]);',
    '{ name: "hi", arguments: {} }',
    "/there/",
  ),
  "@ikigai/source-cron": `
    import { createSourceManager } from "@ikigai/core/host";
    import { cronSource } from "@ikigai/source-cron";
    const sources = createSourceManager();
    const event = new Promise((resolve) => sources.onEvent(resolve));
    await sources.mount({ mount: "x", source: cronSource, options: { everyMs: 50, text: "ok" } });
    console.log((await event).event.text);
    await sources.close();`,
  "@ikigai/source-file": mounted(
    "@ikigai/source-file",
    "fileSource",
    '{ root: "." }',
    `${WRITE_AND_READ}
  const found = await source.list("a.md")[Symbol.asyncIterator]().next();
  assert.equal(found.value.path, "a.md");`,
  ),
  "@ikigai/source-git": `
    import { execFileSync } from "node:child_process";
    execFileSync("sh", ["-c", "git init -q . && echo hello > a.md && git add a.md && git -c user.name=a -c user.email=a@b commit -q -m x"]);
    ${mounted("@ikigai/source-git", "gitSource", '{ repository: "." }', 'assert.equal((await source.read("a.md")).text, "hello\\n");')}`,
  "@ikigai/source-http": `
    import { createServer } from "node:http";
    const server = createServer((_, answer) => answer.setHeader("content-type", "text/plain").end("hello"));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = "http://127.0.0.1:" + server.address().port + "/";
    ${mounted("@ikigai/source-http", "httpSource", "{ url }", 'assert.equal((await source.read("a.md")).text, "hello"); server.close(); server.closeAllConnections();')}`,
  "@ikigai/source-sqlite": mounted(
    "@ikigai/source-sqlite",
    "sqliteSource",
    '{ file: "x.db", create: true }',
    WRITE_AND_READ,
  ),
  "@ikigai/source-postgres": stored(
    'import { createSourceManager } from "@ikigai/core/host"; import { assetMigrations, postgresAssetSource } from "@ikigai/source-postgres";',
    "[assetMigrations]",
    `const sources = createSourceManager();
     await sources.mount({ mount: "x", source: postgresAssetSource({ database }), options: { owner: "ann" } });
     const { source } = sources.routePrefix("x:///");
     ${WRITE_AND_READ}
     await sources.close();`,
  ),
  "@ikigai/store-postgres": stored(
    'import { createJournal, storeMigrations } from "@ikigai/store-postgres";',
    "[storeMigrations]",
    `const journal = createJournal(database);
     await journal.settle(await journal.intend({ uri: "x:///a", owner: "ann", agent: "ann", after: { text: "t", version: "" } }), { version: "1" });
     assert.equal((await journal.history("x:///a", { owner: "ann" }))[0].state, "done");`,
  ),
  "@ikigai/database": stored("", "[]", 'assert.equal((await database.query("select 1 as one")).rows[0].one, 1);'),
  "@ikigai/host": `
    import assert from "node:assert";
    import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
    import { openHost } from "@ikigai/host";
    mkdirSync("work");
    writeFileSync("work/a.md", "one");
    const open = () => openHost({ root: "work", store: "state", approve: async () => ({ approved: true, by: "me" }) });
    const host = await open();
    const call = { name: "file_edit", arguments: { path: "a.md", old: "one", new: "two" } };
    assert.equal((await host.call(call)).success, true);
    assert.equal(readFileSync("work/a.md", "utf8"), "two");
    assert.equal((await host.command("/undo a.md")).success, true);
    assert.equal(readFileSync("work/a.md", "utf8"), "one");
    assert.equal((await host.call({ name: "file", arguments: { op: "load", path: "a.md" } })).success, true);
    const asset = { name: "file_write", arguments: { path: "ikigai:///a.md", content: "kept" } };
    assert.equal((await host.call(asset)).success, true);
    const absent = await host.call({ name: "recall", arguments: { op: "search", query: "a" } });
    assert.match(absent.error, /needs .*@ikigai\\/recall.* not installed/);
    await host.close();
    const next = await open();
    assert.equal((await next.store.blocks.list("default")).length, 1);
    assert.equal((await next.store.audit.read({ tool: "file_edit" })).length, 2);
    const kept = await next.call({ name: "file_read", arguments: { path: "ikigai:///a.md" } });
    assert.equal(kept.data.content, "kept");
    await next.close();
    assert.deepEqual([existsSync("state/files/blocks"), existsSync("state/postgres")], [true, false]);
    console.log("ok");`,
  "@ikigai/memory": called(
    'import { createFileTools } from "@ikigai/memory";',
    "registry.register(createFileTools({ sources }));",
    '{ name: "file_write", arguments: { path: "a.md", content: "hello" } }',
    '/"success":true/',
  ),
  "@ikigai/notes": called(
    'import { createKnowledgeRepository, createNoteIndex, createNoteTools } from "@ikigai/notes";',
    `await sources.route("a.md").source.write("Idea.md", "# Idea\\n\\nhello");
     registry.register(createNoteTools({ repository: createKnowledgeRepository({ sources, index: createNoteIndex({ sources }) }) }));`,
    '{ name: "read_note", arguments: { name: "Idea" } }',
    "/hello/",
  ),
  "@ikigai/recall": called(
    'import { createMemoryRecall, createRecallTool } from "@ikigai/recall";',
    'const store = createMemoryRecall(); await store.insert([{ content: "the puppy is called Rufus" }], { owner: "ann" }); registry.register([createRecallTool(store)]);',
    '{ name: "recall", arguments: { op: "search", query: "puppy" } }',
    "/Rufus/",
  ),
  "@ikigai/shell": called(
    'import { createBashTool, createJobs } from "@ikigai/shell";',
    'const jobs = createJobs({ root: process.cwd() }); registry.register([createBashTool({ jobs, sources })]); process.once("beforeExit", () => jobs.close());',
    '{ name: "bash", arguments: { command: "echo hello" } }',
    "/hello/",
  ),
  "@ikigai/permission": `
    import assert from "node:assert";
    import { createPolicy } from "@ikigai/core/host";
    import { createJsonFile, createProtectedLayer, createRedactor, grantFile, openGrants } from "@ikigai/permission";
    const grants = await openGrants({ root: process.cwd(), file: createJsonFile("grants.json", grantFile, { grants: [] }) });
    createPolicy({ layers: [createProtectedLayer()], grants: grants.current });
    assert.doesNotMatch(createRedactor({ extra: { key: "hunter2hunter2" } }).redact("it is hunter2hunter2"), /hunter2/);
    console.log("ok");`,
  "@ikigai/terminal": `
    import assert from "node:assert";
    import { createStyle, cutToWidth, escapeText } from "@ikigai/terminal";
    import { createMarkdownLines } from "@ikigai/terminal/screen";
    assert.equal(escapeText("a\\u001b[2J"), "a\\\\u001b[2J");
    assert.equal(cutToWidth("日本語", 5), "日本…");
    assert.deepEqual(createMarkdownLines(createStyle(false)).push("# Title\\n"), ["Title"]);
    console.log("ok");`,
  "@ikigai/mcp": `
    import assert from "node:assert";
    import { createToolRegistry } from "@ikigai/core/host";
    import { createMcpServer, serveHttp } from "@ikigai/mcp";
    const serving = await serveHttp(createMcpServer({ registry: createToolRegistry() }), { port: 0 });
    assert.equal((await fetch(serving.url, { method: "POST", body: "{}" })).status, 401);
    await serving.close();
    console.log("ok");`,
  "@ikigai/agent": `
    import assert from "node:assert";
    import { createAgentSession, createMemoryConversations, openModel } from "@ikigai/agent";
    import { startMockProvider } from "@ikigai/agent/testing";
    import { createSourceManager, createToolRegistry } from "@ikigai/core/host";
    const provider = await startMockProvider(() => ({ text: "hello" }));
    const model = await openModel({ model: "local/x", baseUrl: provider.openAiUrl });
    const registry = createToolRegistry();
    const conversations = createMemoryConversations();
    const session = createAgentSession({ profile: { name: "a" }, registry, sources: createSourceManager({ registry }), conversations,
      conversation: await conversations.create("a"), model: async () => model, pinned: async () => [], count: (text) => text.length });
    assert.equal((await session.send("hi", new AbortController().signal, {})).text, "hello");
    await provider[Symbol.asyncDispose]();
    console.log("ok");`,
};
