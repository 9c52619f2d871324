import type { Tool } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toolText } from "./foreign-tool.ts";
import { createToolRoom } from "./tool-room.ts";

const tool = (name: string, length = 0): Tool => ({
  name,
  description: "x".repeat(length),
  inputSchema: { type: "object" },
});
const many = (count: number): Tool[] => Array.from({ length: count }, (_, n) => tool(`t${n}`));

test("of a server with 3,000 tools the first 512 are taken, and one sentence says what is left out", () => {
  const { taken, leftOut } = createToolRoom().take("many", many(3_000));
  expect(taken.map(({ name }) => name)).toEqual(many(512).map(({ name }) => name));
  expect(leftOut).toMatch(/^2488 of 3000 tools are left out, the first is t512: at most 512 tools of a server/);
});

test("a tool that is too large is left out, and those behind it are taken", () => {
  const { taken, leftOut } = createToolRoom().take("odd", [tool("a"), tool("huge", 210_000), tool("b")]);
  expect(taken.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(leftOut).toContain("1 of 3 tools are left out, the first is huge");
  expect(createToolRoom().take("usual", [tool("a")]).leftOut).toBeUndefined();
});

test("whatever servers bring and bring again, the room holds, and what one gives back another gets", () => {
  const brought = fc.record({
    server: fc.constantFrom("a", "b", "c"),
    sizes: fc.array(fc.nat(300), { maxLength: 12 }),
  });
  fc.assert(
    fc.property(fc.array(brought, { maxLength: 12 }), (steps) => {
      const room = createToolRoom({ perServer: 5, tools: 8, charsPerTool: 250, chars: 1_000 });
      const held = new Map<string, readonly Tool[]>();
      for (const { server, sizes } of steps) {
        const tools = sizes.map((size, n) => tool(`${n}`, size));
        held.set(server, room.take(server, tools).taken);
        const all = [...held.values()].flat();
        expect(held.get(server)?.length).toBeLessThanOrEqual(5);
        expect(all.length).toBeLessThanOrEqual(8);
        expect(all.reduce((sum, one) => sum + toolText(one).length, 0)).toBeLessThanOrEqual(1_000);
      }
      for (const server of held.keys()) room.take(server, []);
      expect(room.take("last", many(5)).taken).toHaveLength(5);
    }),
  );
});
