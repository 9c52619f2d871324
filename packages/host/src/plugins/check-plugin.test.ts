import { defineDataBlock, defineDataStream } from "@ikigai/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { checkPlugin } from "./check-plugin.ts";

const options = z.strictObject({});
const TIMEOUT_MS = 500;

test("a stream that is quiet while it is checked breaks no promise", async () => {
  const definition = defineDataStream({
    name: "quiet",
    capabilities: ["replay"],
    options,
    open: async () => ({
      // oxlint-disable-next-line require-yield -- it has nothing to tell
      async *events({ signal }) {
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener("abort", () => resolve());
        });
      },
    }),
  });
  const checked = await checkPlugin({ definition, options: {}, timeoutMs: TIMEOUT_MS });
  expect(checked.filter(({ error }) => error !== undefined)).toEqual([]);
  const byId = Object.fromEntries(checked.map(({ id, unseen }) => [id, unseen]));
  expect(byId["stream/events/readable"]).toMatch("the stream was quiet: 0 of 3 events");
  expect(byId["stream/events/ends-on-abort-while-waiting"]).toBeUndefined();
});

test("a stream that ends by itself is no quiet one", async () => {
  const definition = defineDataStream({
    name: "short",
    capabilities: [],
    options,
    open: async () => ({ async *events() {} }),
  });
  const checked = await checkPlugin({ definition, options: {}, timeoutMs: TIMEOUT_MS });
  expect(checked.find(({ id }) => id === "stream/events/readable")?.error).toContain("ended by itself");
});

test("a source that hangs is found out, and the check ends", async () => {
  let reads = 0;
  const definition = defineDataBlock({
    name: "hangs",
    capabilities: [],
    options,
    open: async () => ({
      // The first read is that of the sample.
      read: async () => (reads++ === 0 ? { text: "a", version: "1" } : new Promise<never>(() => {})),
      async *list(prefix) {
        if ("a.md".startsWith(prefix)) yield { path: "a.md" };
      },
      close: () => new Promise(() => {}),
    }),
  });
  const checked = await checkPlugin({ definition, options: {}, timeoutMs: 100 });
  expect(checked.find(({ id }) => id === "block/seed/is-read")?.error).toBe("the case did not finish within 300 ms");
  expect(checked.find(({ id }) => id === "block/close/twice")?.error).toBe("the case did not finish within 100 ms");
});
