import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJsonFile } from "@ikigai/permission";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openToolTrust, trustedTools } from "./tool-trust.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-trust-"));
});
afterEach(() => rm(folder, { recursive: true }));

const server = { command: "server" };
const requests = Array.from({ length: 3_000 }, (_, n) => ({
  server: "many",
  tool: `t${n}`,
  description: "",
  text: "x".repeat(200),
  fingerprint: `f${n}`,
}));

/** Before, each of 3,000 tools read and parsed the whole file at the second start: 35 s and 4.8 GB. */
test("however many tools a server brings, what was trusted is read once for all of them", async () => {
  const path = join(folder, "tools.json");
  const plain = createJsonFile(path, trustedTools, { tools: [] });
  let reads = 0;
  const counted = {
    ...plain,
    read: () => {
      reads += 1;
      // A read for each tool would take all memory before it could be counted.
      if (reads > 2) throw new Error("the file was read more than once for one list of tools");
      return plain.read();
    },
  };
  const first = openToolTrust(path, counted).of("many", server);
  expect(new Set(await Promise.all(requests.map(async (one) => first(one))))).toEqual(new Set([true]));
  const second = openToolTrust(path, counted);
  const changed = requests.map((one, n) => (n === 7 ? { ...one, fingerprint: "other" } : one));
  const trust = second.of("many", server);
  const answers = await Promise.all(changed.map(async (one) => trust(one)));
  expect(answers.filter((answer) => answer !== true)).toEqual([expect.stringContaining("it changed")]);
  expect(second.changed().map(({ tool }) => tool)).toEqual(["t7"]);
  expect(reads).toBe(2);
});
