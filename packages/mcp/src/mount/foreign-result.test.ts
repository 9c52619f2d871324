import { expect, test } from "vitest";
import { foreignResult } from "./foreign-result.ts";

const by = { callId: "c", agent: "a" };

test("structured data of a foreign tool that is nested deeper than the stack is an error that names tool and server", async () => {
  const structuredContent = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`) as Record<string, unknown>;
  await expect(foreignResult("evil", "deep", { content: [], structuredContent }, by)).rejects.toMatchObject({
    code: "unavailable",
    message: "deep of evil answered with data that is nested more than 200 levels deep",
  });
  const plain = { content: [], structuredContent: { a: [{ b: 1 }] } };
  expect(await foreignResult("evil", "plain", plain, by)).toEqual({ data: { a: [{ b: 1 }] } });
});
