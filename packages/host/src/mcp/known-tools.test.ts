import { expect, test } from "vitest";
import { assertKnownTools } from "./known-tools.ts";

const known = { toolsets: { files: ["file_read"], recall: ["recall"] }, registered: ["ticket"], servers: ["weather"] };

test("toolsets, tools and tools of configured servers are known", () => {
  expect(() => assertKnownTools(["files", "recall", "ticket", "weather__*", "weather__now"], known)).not.toThrow();
});

test("an unknown name of a tool or toolset is refused with the names that exist", () => {
  const refusal = (names: readonly string[]): unknown => {
    try {
      return assertKnownTools(names, known);
    } catch (error) {
      return error;
    }
  };
  expect(refusal(["nope", "files", "recal"])).toMatchObject({
    code: "invalid_input",
    message: '--tools: "nope", "recal" name neither a toolset nor a tool',
    hint: expect.stringMatching(/Toolsets are: files, recall\. Tools are: file_read, recall, ticket, weather__\*/),
  });
  expect(refusal(["other__now"])).toMatchObject({ message: expect.stringContaining('"other__now" names neither') });
});
