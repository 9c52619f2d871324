import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { IkigaiError } from "@ikigai/core";
import { describe, expect, test } from "vitest";
import type { FileBlock } from "./open-file-source.ts";
import { isStray } from "./stray.ts";
import { faultyOps } from "./testing/faulty-ops.ts";
import { createWorkspace } from "./testing/workspace.ts";

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
      for (let step = 0; ; step++) {
        const workspace = createWorkspace();
        const path = `${workspace.root}/folder/a.md`;
        let from = Number.POSITIVE_INFINITY;
        let met: string | undefined;
        const { ops, calls } = faultyOps((name, index) => {
          if (index !== from + step) return undefined;
          met = name;
          WAYS[way]?.(path);
          return undefined;
        });
        const source = await workspace.open({}, { ops });
        if (company !== "alone") await seeAnotherWriter(source, path);
        writeFileSync(path, BASE);
        const { version } = (await source.read("folder/a.md")) ?? { version: "" };
        if (company !== "alone") await source.read("folder/a.md");
        from = calls.length;
        const outcome: unknown = await ACTS[act]?.(source, version).then(
          () => "done",
          (error: unknown) => (IkigaiError.is(error) ? error.code : error),
        );
        if (met === undefined) return expect(step).toBeGreaterThan(15);
        const where = `step ${step} ${met}`;
        expect(["done", "conflict", "not_found"], where).toContain(outcome);
        expect(readdirSync(`${workspace.root}/folder`).filter(isStray), where).toEqual([]);
        if (BLIND[`${act} ${company}`] === met && way !== "writes into the file") continue;
        const texts = readdirSync(`${workspace.root}/folder`).map((name) =>
          readFileSync(`${workspace.root}/folder/${name}`, "utf8"),
        );
        expect(texts, where).toContain(PERSON);
      }
    });
  });
});

describe("a file with two names", () => {
  test.each(Object.keys(WAYS).slice(1))("a person %s at any step: their text is there", async (way) => {
    for (let step = 0; ; step++) {
      const workspace = createWorkspace();
      const path = `${workspace.root}/folder/a.md`;
      writeFileSync(path, BASE);
      linkSync(path, `${workspace.root}/twin`);
      let from = Number.POSITIVE_INFINITY;
      let met = false;
      const { ops, calls } = faultyOps((_name, index) => {
        if (index === from + step) {
          met = true;
          WAYS[way]?.(path);
        }
        return undefined;
      });
      const source = await workspace.open({}, { ops });
      const { version } = (await source.read("folder/a.md")) ?? { version: "" };
      from = calls.length;
      await source.write("folder/a.md", AGENT, { expected: version }).catch((error: unknown) => {
        expect(IkigaiError.is(error, "conflict")).toBe(true);
      });
      if (!met) return expect(step).toBeGreaterThan(15);
      expect(readFileSync(path, "utf8"), `step ${step}`).toBe(PERSON);
      expect([BASE, AGENT]).toContain(readFileSync(`${workspace.root}/twin`, "utf8"));
    }
  });
});

async function seeAnotherWriter(source: FileBlock, path: string): Promise<void> {
  writeFileSync(path, "somebody else's");
  await source.read("folder/a.md");
}
