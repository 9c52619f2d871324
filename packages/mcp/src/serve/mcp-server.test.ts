import { createToolRegistry, defineTool } from "@ikigai/core";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { fixtureRegistry, fixtureSources } from "../../fixtures/registry.mjs";
import { connectStreams, ERAS, eventually, type TestClientOptions } from "../testing/harness.ts";
import { createMcpApprovals } from "./approvals.ts";
import { createMcpServer, type McpServer } from "./mcp-server.ts";
import type { McpServerOptions } from "./server-options.ts";
import { sourceResources } from "./source-resources.ts";

const opened: { client: Client; mcp: McpServer }[] = [];
afterEach(async () => {
  for (const { client, mcp } of opened.splice(0)) {
    await client.close();
    mcp.close();
  }
});

async function serve(
  clientOptions: TestClientOptions,
  options: Partial<McpServerOptions> & { readonly mode?: "edits" | "none" } = {},
) {
  const approvals = createMcpApprovals();
  const fixture = fixtureRegistry({ approver: approvals.approver, mode: options.mode ?? "edits" });
  const mcp = createMcpServer({ registry: fixture.registry, approvals, ...options });
  const connected = await connectStreams(mcp, clientOptions);
  opened.push({ client: connected.client, mcp });
  return { ...fixture, ...connected, mcp };
}

interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
  readonly text: string;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args });
  const [first] = result.content;
  return {
    ...(result.isError !== undefined && { isError: result.isError }),
    structuredContent: result.structuredContent as Record<string, unknown>,
    text: first?.type === "text" ? first.text : "",
  };
}

describe.each(ERAS)("a client that speaks %s", (era) => {
  test("sees the tools with titles, annotations and schemas", async () => {
    const { client } = await serve({ era });
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "echo")).toMatchObject({
      title: "Echo",
      annotations: { readOnlyHint: true, idempotentHint: true },
      inputSchema: { type: "object", required: ["text"] },
    });
    expect(tools.find(({ name }) => name === "sum")?.outputSchema).toMatchObject({ required: ["success", "data"] });
  });

  test("gets a small result as structured content and as text", async () => {
    const { client } = await serve({ era });
    const { structuredContent, text } = await call(client, "sum", { numbers: [1, 2] });
    expect(structuredContent).toEqual({ success: true, data: { sum: 3, numbers: [1, 2] } });
    expect(JSON.parse(text)).toEqual(structuredContent);
  });

  test("gets a large result once", async () => {
    const { client } = await serve({ era });
    const { structuredContent, text } = await call(client, "big", { size: 20_000 });
    expect(structuredContent).toEqual({ success: true, data: { text: "x".repeat(20_000) } });
    expect(text).toContain("structuredContent");
    expect(text.length).toBeLessThan(200);
  });

  test("gets a large result as text when its model reads only that", async () => {
    const { client } = await serve({ era, name: "claude-ai" });
    const { tools } = await client.listTools();
    expect(tools.some(({ outputSchema }) => outputSchema !== undefined)).toBe(false);
    const { structuredContent, text } = await call(client, "big", { size: 20_000 });
    expect(structuredContent).toBeUndefined();
    expect(JSON.parse(text)).toEqual({ success: true, data: { text: "x".repeat(20_000) } });
  });

  test("sees a failure as a result with its code, not as a protocol error", async () => {
    const { client } = await serve({ era });
    const failed = await call(client, "fail", { code: "conflict" });
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: { success: false, code: "conflict", error_type: "conflict", details: { tried: 1 } },
    });
    expect(failed.text).toContain("It did not work. Try something else. (conflict)");
    const bug = await call(client, "fail");
    expect(bug).toMatchObject({ isError: true, structuredContent: { error_type: "internal" } });
    expect(JSON.stringify(bug)).not.toContain("secret detail");
    expect(await call(client, "nothing")).toMatchObject({
      isError: true,
      structuredContent: { error_type: "not_found" },
    });
    expect(await call(client, "echo", { text: 1 })).toMatchObject({
      isError: true,
      structuredContent: { error_type: "invalid_input" },
    });
  });

  test("hears progress and can cancel", async () => {
    const { client, state } = await serve({ era });
    const controller = new AbortController();
    const heard: unknown[] = [];
    const calling = client.callTool(
      { name: "slow", arguments: {} },
      {
        signal: controller.signal,
        onprogress: (progress) => {
          heard.push(progress);
          controller.abort();
        },
      },
    );
    await expect(calling).rejects.toThrow("abort");
    expect(heard).toEqual([{ progress: 1, message: "began" }]);
    await eventually(() => state.cancelled === 1);
  });

  test("is one conversation", async () => {
    const { client, state } = await serve({ era });
    await call(client, "echo", { text: "a" });
    await call(client, "echo", { text: "b" });
    expect(state.conversations.size).toBe(1);
  });

  test("approves through a form", async () => {
    const forms: string[] = [];
    const { client, state } = await serve({
      era,
      onForm: (message) => {
        forms.push(message);
        return { action: "accept", decision: "allow" };
      },
    });
    state.values.set("k\u202e", "v");
    expect(await call(client, "remove_value", { key: "k\u202e" })).toMatchObject({
      structuredContent: { success: true, data: { removed: true } },
    });
    expect(forms).toHaveLength(1);
    expect(forms[0]).toContain("delete memory:///k\\u{202e}");
    expect(forms[0]).toContain("Warning: It is gone then.");
    expect(await call(client, "ask_twice")).toMatchObject({ structuredContent: { data: { done: true } } });
    expect(forms).toHaveLength(3);
  });

  test("refuses by saying no, by dismissing and by accepting something else", async () => {
    const answers = [
      { action: "accept" as const, decision: "deny" },
      { action: "decline" as const },
      { action: "cancel" as const },
    ];
    const { client, state } = await serve({ era, onForm: () => answers.shift() ?? { action: "cancel" } });
    state.values.set("k", "v");
    for (const reason of ["the answer was no", "the answer was no", "the question was dismissed"]) {
      const refused = await call(client, "remove_value", { key: "k" });
      expect(refused).toMatchObject({ isError: true, structuredContent: { error_type: "permission_denied" } });
      expect(refused.text).toContain(`The user refused to let remove_value delete memory:///k: ${reason}`);
    }
    expect(state.values.get("k")).toBe("v");
  });

  test("is told how to allow what it cannot ask about", async () => {
    const { client } = await serve({ era });
    const refused = await call(client, "remove_value", { key: "k" });
    expect(refused).toMatchObject({ isError: true, structuredContent: { error_type: "permission_denied" } });
    expect(refused.text).toContain("nobody can be asked. Start the server with --approve all.");
  });

  test("hears that the tools changed, and calls what it was offered", async () => {
    const changed = vi.fn<() => void>();
    const { client } = await serve({ era, listChanged: { tools: { autoRefresh: false, onChanged: changed } } });
    await client.listTools();
    await call(client, "grow", { name: "later" });
    await eventually(() => changed.mock.calls.length > 0);
    expect(await call(client, "later")).toMatchObject({ structuredContent: { error_type: "not_found" } });
    const { tools } = await client.listTools(undefined, { cacheMode: "bypass" });
    expect(tools.some(({ name }) => name === "later")).toBe(true);
    expect(await call(client, "later")).toMatchObject({ structuredContent: { data: { name: "later" } } });
  });

  test("pages through a long list of tools", async () => {
    const { client } = await serve({ era }, { pageSize: 4 });
    const all = await client.listTools();
    expect(all.tools).toHaveLength(11);
    const second = await client.listTools({ cursor: all.tools[3]?.name });
    expect(second.tools).toEqual(all.tools.slice(4, 8));
    expect(second.nextCursor).toBe(all.tools[7]?.name);
    await expect(client.listTools({ cursor: "no such" })).rejects.toThrow("belongs to no list");
  });

  test("lists, reads and completes resources, and gets prompts", async () => {
    const { sources } = await fixtureSources({ "a.md": "# A", "ä ?#%.txt": "odd" });
    const resources = sourceResources({ sources });
    const { client } = await serve(
      { era },
      {
        resources,
        complete: resources.complete,
        prompts: {
          list: async () => [{ name: "compact", arguments: [{ name: "what", required: true }] }, { name: "plain" }],
          get: async (name, { what }) =>
            name === "compact"
              ? { description: "d", messages: [{ role: "user", text: `Compact ${what ?? ""}` }] }
              : name === "plain"
                ? { messages: [] }
                : undefined,
        },
      },
    );
    const { resources: listed } = await client.listResources();
    expect(listed.map(({ uri }) => uri)).toEqual(["memory:///a.md", "memory:///%C3%A4%20%3F%23%25.txt"]);
    const { contents } = await client.readResource({ uri: listed[1]?.uri ?? "" });
    expect(contents).toMatchObject([{ text: "odd", mimeType: "text/plain" }]);
    await expect(client.readResource({ uri: "memory:///none.md" })).rejects.toThrow("none.md");
    await expect(client.readResource({ uri: "memory:///%zz" })).rejects.toMatchObject({ code: -32_602 });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "memory:///{+path}" }]);
    const completed = await client.complete({
      ref: { type: "ref/resource", uri: "memory:///{+path}" },
      argument: { name: "path", value: "a" },
    });
    expect(completed.completion).toMatchObject({ values: ["a.md"], total: 1, hasMore: false });
    const other = await client.complete({
      ref: { type: "ref/prompt", name: "compact" },
      argument: { name: "what", value: "a" },
      context: { arguments: { b: "c" } },
    });
    expect(other.completion.values).toEqual([]);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["compact", "plain"]);
    const prompt = await client.getPrompt({ name: "compact", arguments: { what: "it" } });
    expect(prompt).toMatchObject({
      description: "d",
      messages: [{ role: "user", content: { type: "text", text: "Compact it" } }],
    });
    expect((await client.getPrompt({ name: "plain" })).messages).toEqual([]);
    await expect(client.getPrompt({ name: "none" })).rejects.toThrow("No prompt is named");
  });

  test("gets no answer beyond the limit", async () => {
    const registry = createToolRegistry({ maxOutputSize: 10_000_000 });
    registry.register([
      defineTool({
        name: "huge",
        description: "d",
        input: z.object({}),
        effects: () => [],
        run: async () => "x".repeat(200_000),
      }),
    ]);
    const { client } = await serve(
      { era },
      {
        registry,
        maxAnswerSize: 50_000,
        prompts: {
          list: async () => [],
          get: async () => ({ messages: [{ role: "user", text: "x".repeat(60_000) }] }),
        },
      },
    );
    expect(await call(client, "huge")).toMatchObject({
      isError: true,
      structuredContent: { error_type: "unsupported" },
    });
    await expect(client.getPrompt({ name: "any" })).rejects.toThrow("more than 50000");
  });
});

test("a client of 2025 hears logs, gives its roots and says when they change", async () => {
  const heard: unknown[] = [];
  const logged: unknown[] = [];
  const { client, mcp } = await serve(
    { capabilities: { roots: { listChanged: true } } },
    { onRoots: (roots) => void heard.push(roots) },
  );
  client.setNotificationHandler("notifications/message", ({ params }) => void logged.push(params));
  let roots = [{ uri: "file:///a", name: "a" }, { uri: "file:///b" }];
  client.setRequestHandler("roots/list", async () => ({ roots }));
  await client.sendRootsListChanged();
  await eventually(() => heard.length > 0);
  expect(heard.at(-1)).toEqual(roots);
  roots = [];
  await client.sendRootsListChanged();
  await eventually(() => JSON.stringify(heard.at(-1)) === "[]");
  mcp.log("warning", "be careful");
  await eventually(() => logged.length > 0);
  expect(logged).toEqual([{ level: "warning", data: "be careful" }]);
});

test("roots that cannot be had are reported, not fatal", async () => {
  const log = vi.fn<(level: string, message: string) => void>();
  const { client } = await serve(
    { capabilities: { roots: {} } },
    {
      onLog: log,
      onRoots: () => {
        throw new Error("no such folder");
      },
    },
  );
  client.setRequestHandler("roots/list", async () => ({ roots: [] }));
  await client.sendRootsListChanged().catch(() => {});
  await eventually(() => log.mock.calls.some(([, message]) => message.includes("roots are unknown")));
  expect(await call(client, "echo", { text: "still" })).toMatchObject({ structuredContent: { success: true } });
});

test("a subscribed resource is reported when it changes, and only while subscribed", async () => {
  const { sources, write, watchers } = await fixtureSources({ "a.md": "1", "b.md": "1" });
  const { client } = await serve({}, { resources: sourceResources({ sources }) });
  const updated: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
  expect(watchers.size).toBe(0);
  await client.subscribeResource({ uri: "memory:///a.md" });
  await eventually(() => watchers.size === 1);
  write("b.md", "2");
  write("a.md", "2");
  await eventually(() => updated.length > 0);
  expect(updated).toEqual(["memory:///a.md"]);
  await client.unsubscribeResource({ uri: "memory:///a.md" });
  await eventually(() => watchers.size === 0);
});

test("a client of 2026 listens to resources", async () => {
  const { sources, write, watchers } = await fixtureSources({ "a.md": "1" });
  const { client } = await serve({ era: "2026-07-28" }, { resources: sourceResources({ sources }) });
  const updated: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
  await client.listen({ resourceSubscriptions: ["memory:///a.md"] });
  await eventually(() => watchers.size === 1);
  write("a.md", "2");
  await eventually(() => updated.length > 0);
  expect(updated).toEqual(["memory:///a.md"]);
});

test("prompts and resources that change are announced", async () => {
  const listeners: (() => void)[] = [];
  const onChange = (listener: () => void): Disposable => {
    listeners.push(listener);
    return { [Symbol.dispose]: () => {} };
  };
  const changed: string[] = [];
  await serve(
    {
      listChanged: {
        prompts: { autoRefresh: false, onChanged: () => void changed.push("prompts") },
        resources: { autoRefresh: false, onChanged: () => void changed.push("resources") },
      },
    },
    {
      prompts: { list: async () => [], get: async () => undefined, onChange },
      resources: { list: async () => ({ items: [] }), read: async () => undefined, onListChange: onChange },
    },
  );
  for (const listener of listeners) listener();
  await eventually(() => changed.length === 2);
  expect(changed.toSorted()).toEqual(["prompts", "resources"]);
});

test("a bug in what was injected is reported and told without detail", async () => {
  const log = vi.fn<(level: string, message: string) => void>();
  const { client } = await serve(
    {},
    {
      onLog: log,
      prompts: {
        list: async () => {
          throw new Error("secret");
        },
        get: async () => undefined,
      },
    },
  );
  await expect(client.listPrompts()).rejects.toThrow("failed unexpectedly");
  expect(log).toHaveBeenCalledWith("error", expect.stringContaining("secret"));
});

test("a call that waits for an answer is cancelled when its client goes", async () => {
  let asked = false;
  const { client, state, serving } = await serve({
    era: "2026-07-28",
    inputRequired: { autoFulfill: false },
    onForm: () => {
      asked = true;
      return { action: "accept", decision: "allow" };
    },
  });
  const waiting = await client.callTool(
    { name: "remove_value", arguments: { key: "k" } },
    { allowInputRequired: true },
  );
  const { requestState } = waiting as unknown as { requestState: string };
  expect(requestState).toMatch(/^[0-9a-f-]{36}$/);
  expect(asked).toBe(false);
  await client.close();
  await serving.close();
  await serving.closed;
  expect(state.values.size).toBe(0);
});

test("a ticket of another call, or one that was used, is refused", async () => {
  const { client } = await serve({
    era: "2026-07-28",
    inputRequired: { autoFulfill: false },
    onForm: () => ({ action: "accept" }),
  });
  const ask = (name: string, more: Record<string, unknown> = {}): Promise<unknown> =>
    client.callTool({ name, arguments: { key: "k" }, ...more }, { allowInputRequired: true });
  const { requestState } = (await ask("remove_value")) as { requestState: string };
  await expect(ask("set_value", { requestState })).rejects.toThrow("No call waits");
  const unanswered = await ask("remove_value", { requestState, inputResponses: {} });
  expect(unanswered).toMatchObject({ isError: true });
  await expect(ask("remove_value", { requestState })).rejects.toThrow("No call waits");
});
