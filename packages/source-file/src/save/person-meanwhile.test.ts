import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { FileBlock } from "../open-file-source.ts";
import { isTempFile } from "./temp-file.ts";
import { faultyOps } from "../testing/faulty-ops.ts";
import { codeOf, createWorkspace, type Workspace } from "../testing/workspace.ts";

const BASE = "what both of them saw\n";
const PERSON = "the person's text\n";
const AGENT = "the agent's text\n";

const WAYS: Readonly<Record<string, (path: string) => void>> = {
  "writes into the file": (path) => writeFileSync(path, PERSON),
  "puts a new file in place": (path) => {
    writeFileSync(`${path}.swp`, PERSON);
    renameSync(`${path}.swp`, path);
  },
  "moves the file away and writes a new one": (path) => {
    rmSync(path, { force: true });
    writeFileSync(path, PERSON);
  },
};

const ACTS: Readonly<Record<string, (source: FileBlock, version: string) => Promise<unknown>>> = {
  save: (source, expected) => source.write("folder/a.md", AGENT, { expected }),
  remove: (source, expected) => source.remove("folder/a.md", { expected }),
};

/** Steps at which another file put in place is not noticed; see the decision record on lossless saves. */
const BLIND = { "save alone": "renameSync" } as Readonly<Record<string, string>>;

describe.each(["alone", "with others about"])("an agent that was %s", (company) => {
  describe.each(Object.keys(ACTS))("%s", (act) => {
    test.each(Object.keys(WAYS))("a person %s at any step: their text is there or in a copy", async (way) => {
      const { faults, steps } = await meetAtEveryStep(act, way, (workspace, source) =>
        company === "alone" ? Promise.resolve() : seeAnotherWriter(workspace, source),
      );
      const blind = BLIND[`${act} ${company}`];
      const known = way === "writes into the file" ? undefined : blind;
      expect(faults.filter((fault) => known === undefined || !fault.startsWith(`${known} lost`))).toEqual([]);
      expect(steps).toBeGreaterThan(15);
    });
  });
});

describe("a file with two names", () => {
  test.each(Object.keys(WAYS).slice(1))("a person %s at any step: their text is there", async (way) => {
    const { faults, steps } = await meetAtEveryStep("save", way, async ({ root }) => {
      linkSync(`${root}/folder/a.md`, `${root}/twin`);
    });
    expect(faults).toEqual([]);
    expect(steps).toBeGreaterThan(15);
  });
});

/** Lets a person act once before each single system call of an agent's act, and says what went wrong. */
async function meetAtEveryStep(
  act: string,
  way: string,
  prepare: (workspace: Workspace, source: FileBlock) => Promise<void>,
): Promise<{ faults: string[]; steps: number }> {
  const faults: string[] = [];
  for (let step = 0; ; step++) {
    const workspace = createWorkspace();
    const folder = `${workspace.root}/folder`;
    let from = Number.POSITIVE_INFINITY;
    let met: string | undefined;
    const { ops, calls } = faultyOps((name, index) => {
      if (index !== from + step) return undefined;
      met = name;
      WAYS[way]?.(`${folder}/a.md`);
      return undefined;
    });
    const source = await workspace.open({}, { ops });
    writeFileSync(`${folder}/a.md`, BASE);
    await prepare(workspace, source);
    const { version } = (await source.read("folder/a.md")) ?? { version: "" };
    from = calls.length;
    const outcome = await codeOf(ACTS[act]?.(source, version) ?? Promise.resolve());
    if (met === undefined) return { faults, steps: step };
    if (typeof outcome === "string" && !["conflict", "not_found"].includes(outcome)) faults.push(`${met} ${outcome}`);
    if (outcome instanceof Error) faults.push(`${met} threw ${outcome.message}`);
    const names = readdirSync(folder);
    if (names.some(isTempFile)) faults.push(`${met} left ${names.join()}`);
    if (!names.some((name) => readFileSync(`${folder}/${name}`, "utf8") === PERSON)) faults.push(`${met} lost it`);
  }
}

async function seeAnotherWriter({ root }: Workspace, source: FileBlock): Promise<void> {
  for (const text of ["somebody else's", BASE]) {
    await source.read("folder/a.md");
    writeFileSync(`${root}/folder/a.md`, text);
  }
}
