import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { countHops } from "./hops.mjs";

const tree = fileURLToPath(new URL("../..", import.meta.url));

test.each([
  ["tool", 12, "apps/cli/main.js main"],
  ["mcp", 16, "packages/mcp/serve/stdio/stdio-transport.js receive"],
] as const)(
  "file_edit by %s reaches the file in at most %i hops",
  async (kind, most, first) => {
    const { way, hops } = await countHops(tree, kind);
    expect(way[0]).toBe(first);
    expect(way.at(-1)).toMatch(/^packages\/source-file\/.*replace-file\.js/);
    expect(hops, way.join("\n")).toBeLessThanOrEqual(most);
  },
  120_000,
);
