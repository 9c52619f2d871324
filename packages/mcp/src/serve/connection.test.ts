import { afterEach, expect, test, vi } from "vitest";
import { fixtureSources } from "../../fixtures/registry.mjs";
import { eventually } from "../testing/harness.ts";
import { call, endAll, serve } from "../testing/serve-fixture.ts";
import { sourceResources } from "./resources/source-resources.ts";

afterEach(endAll);

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

test("a client of 2026 gives its roots with its first call, once", async () => {
  const heard: unknown[] = [];
  const { client } = await serve(
    { era: "2026-07-28", capabilities: { roots: {} } },
    { onRoots: (roots) => void heard.push(roots) },
  );
  client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///a" }] }));
  for (const text of ["a", "b"]) {
    expect(await call(client, "echo", { text })).toMatchObject({ envelope: { success: true } });
  }
  expect(heard).toEqual([[{ uri: "file:///a" }]]);
});

test("roots that cannot be taken do not stop a call of 2026", async () => {
  const log = vi.fn<(level: string, message: string) => void>();
  const { client } = await serve(
    { era: "2026-07-28", capabilities: { roots: {} } },
    {
      onLog: log,
      onRoots: () => {
        throw new Error("no such folder");
      },
    },
  );
  client.setRequestHandler("roots/list", async () => ({ roots: [] }));
  expect(await call(client, "echo", { text: "a" })).toMatchObject({ envelope: { success: true } });
  expect(log).toHaveBeenCalledWith("warning", "The client's roots are unknown: no such folder");
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
  expect(await call(client, "echo", { text: "still" })).toMatchObject({ envelope: { success: true } });
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
