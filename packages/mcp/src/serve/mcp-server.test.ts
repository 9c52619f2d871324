import { defineTool } from "@ikigai/core";
import { createToolRegistry } from "@ikigai/core/host";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { fixtureSources } from "../../fixtures/registry.mjs";
import { ERAS, eventually } from "../testing/harness.ts";
import { call, endAll, serve } from "../testing/serve-fixture.ts";
import { sourceResources } from "./resources/source-resources.ts";
import { ENVELOPE_KEY } from "./tools/tool-result.ts";

afterEach(endAll);

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
    expect(tools.some(({ outputSchema }) => outputSchema !== undefined)).toBe(false);
  });

  test("gets every result as text, whatever its length, and no structured content", async () => {
    const { client } = await serve({ era });
    const small = await call(client, "sum", { numbers: [1, 2] });
    expect(small).toMatchObject({ text: "sum: 3\nnumbers: 1, 2", envelope: { data: { sum: 3, numbers: [1, 2] } } });
    const large = await call(client, "big", { size: 20_000 });
    expect(large.text).toBe("x".repeat(20_000));
    for (const answer of [small, large]) expect(answer.structuredContent).toBeUndefined();
  });

  test("gets the envelope only when the request asks for it", async () => {
    const { client } = await serve({ era });
    const plain = await client.callTool({ name: "sum", arguments: { numbers: [1] } });
    expect(plain._meta ?? {}).not.toHaveProperty(ENVELOPE_KEY);
    const failed = await client.callTool({ name: "fail", arguments: { code: "conflict" } });
    expect(failed._meta).toMatchObject({ "ikigai/code": "conflict" });
    expect(failed._meta).not.toHaveProperty(ENVELOPE_KEY);
  });

  test("gets structured content beside the text of a success where the host chose it, never of a failure", async () => {
    const { client } = await serve({ era }, { presentation: () => "structured" });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "sum")?.outputSchema).toMatchObject({ required: ["success"] });
    const { structuredContent, text } = await call(client, "sum", { numbers: [1, 2] });
    expect(structuredContent).toEqual({ success: true, data: { sum: 3, numbers: [1, 2] } });
    expect(text).toBe("sum: 3\nnumbers: 1, 2");
    const failed = await call(client, "sum", { numbers: "x" });
    expect(failed).toMatchObject({ isError: true, envelope: { code: "invalid_input" } });
    expect(failed.structuredContent).toBeUndefined();
  });

  test("is told in each answer that wrote, and in no other, where it wrote to", async () => {
    const { client } = await serve(
      { era },
      {
        wroteTo: (effects) =>
          effects.every(({ action }) => action === "read") ? undefined : "workspace: /home/ada/shop",
      },
    );
    expect((await call(client, "set_value", { key: "k", value: "v" })).text).toBe(
      "keys: 1\n[workspace: /home/ada/shop]",
    );
    expect((await call(client, "echo", { text: "hi" })).text).not.toContain("workspace");
    expect((await call(client, "remove_value", { key: "k" })).text).not.toContain("workspace");
  });

  test("gets instructions, and a mark on the tools that it should always show", async () => {
    const { client } = await serve({ era }, { instructions: () => "This is a memory.", alwaysLoad: ["echo"] });
    expect(client.getInstructions()).toBe("This is a memory.");
    const { tools } = await client.listTools();
    const marked = tools.filter(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true);
    expect(marked.map(({ name }) => name)).toEqual(["echo"]);
  });

  test("that splits what is typed gives a prompt all its words", async () => {
    const prompts = {
      list: async () => [{ name: "remember", arguments: [{ name: "text", words: true }] }],
      get: async (_: string, { text = "" }: Readonly<Record<string, string>>) => ({
        messages: [{ role: "user" as const, text }],
      }),
    };
    const { client } = await serve({ era, name: "claude-code" }, { prompts });
    const [card] = (await client.listPrompts()).prompts;
    const words = "the office is green".split(" ");
    const given = Object.fromEntries(words.map((word, index) => [card?.arguments?.[index]?.name ?? "", word]));
    const { messages } = await client.getPrompt({ name: "remember", arguments: given });
    expect(messages).toMatchObject([{ content: { text: "the office is green" } }]);
  });

  test("sees a failure as a result with its code, not as a protocol error", async () => {
    const { client } = await serve({ era });
    const failed = await call(client, "fail", { code: "conflict" });
    expect(failed).toMatchObject({
      isError: true,
      envelope: { success: false, code: "conflict", details: { tried: 1 } },
    });
    expect(failed.text).toBe("It did not work. Try something else. (conflict)\ntried: 1");
    expect(failed.structuredContent).toBeUndefined();
    const bug = await call(client, "fail");
    expect(bug).toMatchObject({ isError: true, envelope: { code: "internal" } });
    expect(JSON.stringify(bug)).not.toContain("secret detail");
    expect(await call(client, "nothing")).toMatchObject({
      isError: true,
      envelope: { code: "not_found" },
    });
    expect(await call(client, "echo", { text: 1 })).toMatchObject({
      isError: true,
      envelope: { code: "invalid_input" },
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
      envelope: { success: true, data: { removed: true } },
    });
    expect(forms).toHaveLength(1);
    expect(forms[0]).toContain("delete memory:///k\\u{202e}");
    expect(forms[0]).toContain("│ warning: It is gone then.");
    expect(await call(client, "ask_twice")).toMatchObject({ envelope: { data: { done: true } } });
    expect(forms).toHaveLength(3);
  });

  test("refuses by saying no and by accepting something else", async () => {
    const answers = [{ action: "accept" as const, decision: "deny" }, { action: "decline" as const }];
    const { client, state } = await serve({ era, onForm: () => answers.shift() ?? { action: "cancel" } });
    state.values.set("k", "v");
    for (const reason of ["the answer was no", "the answer was no"]) {
      const refused = await call(client, "remove_value", { key: "k" });
      expect(refused).toMatchObject({ isError: true, envelope: { code: "permission_denied" } });
      expect(refused.text).toContain(`The user refused to let remove_value delete memory:///k: ${reason}`);
    }
    expect(state.values.get("k")).toBe("v");
  });

  test("is told how to allow what it cannot ask about", async () => {
    const { client } = await serve({ era });
    const refused = await call(client, "remove_value", { key: "k" });
    expect(refused).toMatchObject({ isError: true, envelope: { code: "permission_denied" } });
    expect(refused.text).toContain(
      "nobody can be asked: this client shows no questions. Start the server with --approve all.",
    );
  });

  test("that closes the question, or fails to show it, does not pass for a person's no", async () => {
    const closing = await serve({ era, onForm: () => ({ action: "cancel" }) });
    const closed = await call(closing.client, "remove_value", { key: "k" });
    expect(closed.text).toMatch(/was not allowed to delete memory:\/\/\/k: the question was closed without an answer/);
    expect(closed.text).not.toContain("The user refused");
    const failing = await serve({
      era,
      onForm: () => {
        throw new Error("no screen");
      },
    });
    const failed = await call(failing.client, "remove_value", { key: "k" }).catch((error: Error) => error.message);
    expect(JSON.stringify(failed)).not.toContain("The user refused");
    expect(JSON.stringify(failed)).toContain("no screen");
  });

  test("hears that the tools changed, and calls what it was offered", async () => {
    const changed = vi.fn<() => void>();
    const { client } = await serve({ era, listChanged: { tools: { autoRefresh: false, onChanged: changed } } });
    await client.listTools();
    await call(client, "grow", { name: "later" });
    await eventually(() => changed.mock.calls.length > 0);
    expect(await call(client, "later")).toMatchObject({ envelope: { code: "not_found" } });
    const { tools } = await client.listTools(undefined, { cacheMode: "bypass" });
    expect(tools.some(({ name }) => name === "later")).toBe(true);
    expect(await call(client, "later")).toMatchObject({ envelope: { data: { name: "later" } } });
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
                ? {
                    messages: [
                      { role: "user", image: { data: "AAAA", mimeType: "image/png" } },
                      { role: "assistant", resource: { uri: "memory:///a.md", blob: "AAAA" } },
                    ],
                  }
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
    expect((await client.getPrompt({ name: "plain" })).messages).toEqual([
      { role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
      { role: "assistant", content: { type: "resource", resource: { uri: "memory:///a.md", blob: "AAAA" } } },
    ]);
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
      envelope: { code: "unsupported" },
    });
    await expect(client.getPrompt({ name: "any" })).rejects.toThrow("more than 50000");
  });
});
