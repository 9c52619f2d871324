import { expect, test } from "vitest";
import { z } from "zod";
import { createPolicy } from "../policy/policy.ts";
import { createSourceManager } from "../source/source-manager.ts";
import { memorySource } from "../testing/index.ts";
import { createToolRegistry } from "../tool/tool-registry.ts";
import { defineTool, type FormRequest } from "../tool/tool.ts";

const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
registry.register([
  defineTool({
    name: "draw",
    description: "Draws what a person chooses.",
    input: z.object({}),
    effects: () => [],
    async run(_, { attach, askForm }) {
      const answer = await askForm?.({ message: "Which colour?", schema: { type: "object" } });
      attach?.({ type: "image", data: "aGk=", mimeType: "image/png" });
      return { canAsk: askForm !== undefined, canAttach: attach !== undefined, answer: answer ?? null };
    },
  }),
]);

test("a tool can attach a picture and ask a person where the caller takes both", async () => {
  const attached: unknown[] = [];
  const asked: FormRequest[] = [];
  const answer = await registry.call(
    { name: "draw", arguments: {} },
    {
      onAttachment: (attachment) => void attached.push(attachment),
      async onForm(request) {
        asked.push(request);
        return { action: "accept", content: { colour: "blue" } };
      },
    },
  );
  expect(answer).toMatchObject({ data: { canAsk: true, canAttach: true, answer: { content: { colour: "blue" } } } });
  expect(attached).toEqual([{ type: "image", data: "aGk=", mimeType: "image/png" }]);
  expect(asked.map(({ message }) => message)).toEqual(["Which colour?"]);
});

test("a tool is told that it can neither attach nor ask where the caller takes nothing", async () => {
  expect(await registry.call({ name: "draw", arguments: {} })).toMatchObject({
    data: { canAsk: false, canAttach: false, answer: null },
  });
});

test("a listener for attachments that fails does not fail the call", async () => {
  const answer = await registry.call(
    { name: "draw", arguments: {} },
    {
      onAttachment: () => {
        throw new Error("no room");
      },
    },
  );
  expect(answer).toMatchObject({ success: true });
});

test("the texts of a mount are read within a time", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: memorySource, options: {} });
  expect(await sources.readerWithin("file", 10_000).read("absent.md")).toBeUndefined();
  expect(() => sources.readerWithin("nowhere", 10_000)).toThrow("nowhere");
});
