import { chmodSync, linkSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { IkigaiError } from "@ikigai/core";
import { describe, expect, test } from "vitest";
import type { FileBlock } from "./open-file-source.ts";
import { isStray } from "./stray.ts";
import { deadOwner, failingAt, type Fault, faultyOps, killedAt } from "./testing/faulty-ops.ts";
import { createWorkspace, type Workspace } from "./testing/workspace.ts";

interface Scenario {
  readonly what: string;
  readonly prepare: (at: Workspace) => void;
  readonly act: (source: FileBlock) => Promise<unknown>;
  /** What the file may hold afterwards: before the act, after it. `undefined` is absent. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const OLD = "the old text\n";
const NEW = "a new text that is longer than the old one\n";
const write = (source: FileBlock): Promise<unknown> => source.write("folder/a.md", NEW);

const SCENARIOS: readonly Scenario[] = [
  { what: "a save", prepare: oldFile, act: write, before: OLD, after: NEW },
  {
    what: "a save of less text",
    prepare: oldFile,
    act: (source) => source.write("folder/a.md", "x"),
    before: OLD,
    after: "x",
  },
  { what: "a save that others disturb", prepare: oldFile, act: contendedWrite, before: OLD, after: NEW },
  {
    what: "a save through a link",
    prepare: linked,
    act: (source) => source.write("link", NEW),
    before: OLD,
    after: NEW,
  },
  { what: "a save of a file with two names", prepare: twoNames, act: write, before: OLD, after: NEW },
  { what: "a create", prepare: () => {}, act: write, before: undefined, after: NEW },
  { what: "a removal", prepare: oldFile, act: (source) => source.remove("folder/a.md"), before: OLD, after: undefined },
];

describe.each(SCENARIOS)("$what", ({ prepare, act, before, after }) => {
  test("killed at any system call leaves the old or the new file, and nothing else after the next start", async () => {
    for (let step = 0; ; step++) {
      const workspace = createWorkspace();
      prepare(workspace);
      const { killed } = await attempt(workspace, act, (from) => killedAt(from + step));
      if (!killed) return expect(step).toBeGreaterThan(10);
      if (act !== contendedWrite) expect([before, after]).toContain(textOf(workspace));
      await (await workspace.open()).read("folder/a.md");
      expect([before, after], `step ${step}`).toContain(textOf(workspace));
      expectClean(workspace, `step ${step}`);
      if (textOf(workspace) !== undefined && before !== undefined) expectSameMode(workspace);
    }
  });

  test.each(["ENOSPC", "EIO", "EROFS"])(
    "meeting %s at any system call is a typed error that changes nothing",
    async (errno) => {
      for (let step = 0; ; step++) {
        const workspace = createWorkspace();
        prepare(workspace);
        const { error, failed } = await attempt(workspace, act, (from) => failingAt(from + step, errno));
        if (failed === undefined) return;
        if (error === undefined) expect(textOf(workspace), `step ${step} ${failed}`).toBe(after);
        else {
          expect(textOf(workspace), `step ${step} ${failed}`).toBe(before);
          expect(
            IkigaiError.is(error, "unavailable") || IkigaiError.is(error, "permission_denied"),
            `step ${step} ${failed}: ${String(error)}`,
          ).toBe(true);
        }
        if (!failed.startsWith("unlink")) expectClean(workspace, `step ${step} ${failed}`);
        if (before !== undefined && textOf(workspace) !== undefined) expectSameMode(workspace);
      }
    },
  );
});

/** Runs `act` on a source whose system calls fail from its beginning on as `fault` says. */
async function attempt(
  workspace: Workspace,
  act: Scenario["act"],
  fault: (from: number) => Fault,
): Promise<{ error?: unknown; killed: boolean; failed: string | undefined }> {
  let active: Fault = () => undefined;
  let failed: string | undefined;
  const { ops, calls } = faultyOps((name, index, args) => {
    const error = active(name, index, args);
    if (error !== undefined) failed ??= name;
    return error;
  });
  const source = await workspace.open({}, { ops, owner: deadOwner() });
  if (act === contendedWrite) await seeAnotherWriter(source, workspace);
  active = fault(calls.length);
  const error = await act(source).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  active = () => undefined;
  return { error, failed, killed: failed !== undefined };
}

async function seeAnotherWriter(source: FileBlock, { root }: Workspace): Promise<void> {
  writeFileSync(`${root}/folder/a.md`, "somebody else's");
  await source.read("folder/a.md");
  writeFileSync(`${root}/folder/a.md`, OLD);
  await source.read("folder/a.md");
}

function contendedWrite(source: FileBlock): Promise<unknown> {
  return source.write("folder/a.md", NEW);
}

function oldFile({ root }: Workspace): void {
  writeFileSync(`${root}/folder/a.md`, OLD);
  chmodSync(`${root}/folder/a.md`, 0o640);
}

function linked(workspace: Workspace): void {
  oldFile(workspace);
  symlinkSync("folder/a.md", `${workspace.root}/link`);
}

function twoNames(workspace: Workspace): void {
  oldFile(workspace);
  linkSync(`${workspace.root}/folder/a.md`, `${workspace.root}/twin`);
}

function textOf({ root }: Workspace): string | undefined {
  try {
    return readFileSync(`${root}/folder/a.md`, "utf8");
  } catch {
    return undefined;
  }
}

function expectSameMode({ root }: Workspace): void {
  expect(statSync(`${root}/folder/a.md`).mode & 0o7777).toBe(0o640);
}

function expectClean({ root, locks }: Workspace, where: string): void {
  expect(readdirSync(`${root}/folder`).filter(isStray), where).toEqual([]);
  expect(readdirSync(locks), where).toEqual([]);
}
