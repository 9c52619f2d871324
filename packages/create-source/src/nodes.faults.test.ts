import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countsOf, linkedPlugin, makeItLie, runIn } from "./testing/linked-plugin.ts";

const VERSIONS = [20, 22, 24] as const;
const KINDS = ["block", "stream", "part"] as const;
const OS: Readonly<Record<string, string>> = { win32: "win" };

let base: string;
beforeAll(async () => void (base = await mkdtemp(join(tmpdir(), "ikigai-nodes-"))));
afterAll(() => rm(base, { recursive: true, force: true }));

/** Runs a command line with another Node first on the path. The registry has each version as a package. */
function withNode(version: number, directory: string, line: string) {
  const node = `node-${OS[process.platform] ?? process.platform}-${process.arch}@${version}`;
  return runIn(directory, "npx", ["-y", "-p", node, "-c", line]);
}

const cases = VERSIONS.flatMap((version) => KINDS.map((kind) => ({ version, kind })));

test.for(cases)(
  "on Node $version a new $kind is proven, and one that lies is not",
  async ({ version, kind }, { skip }) => {
    const directory = join(base, `${kind}-${version}`);
    await linkedPlugin(directory, kind);
    const there = await withNode(version, directory, "node --version");
    if (there.code !== 0 || !there.output.includes(`v${version}.`)) {
      skip(`left out: Node ${version} could not be fetched from the registry`);
    }
    const honest = await withNode(version, directory, "npm test");
    expect(honest, honest.output).toMatchObject({ code: 0 });
    expect(countsOf(honest.output)).toEqual({ passed: expect.any(Number), failed: 0 });
    expect(countsOf(honest.output).passed).toBeGreaterThan(kind === "part" ? 7 : 10);

    await makeItLie(directory, kind);
    const lying = await withNode(version, directory, "npm test");
    expect(lying.code).not.toBe(0);
    expect(countsOf(lying.output).failed).toBeGreaterThan(0);
  },
);
