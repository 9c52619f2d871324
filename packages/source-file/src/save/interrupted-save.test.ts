import { chmodSync, linkSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { IkigaiError, messageOf } from "@ikigai/core";
import { describe, expect, test } from "vitest";
import { isContentionNote } from "./contention.ts";
import type { FileBlock } from "../open-file-source.ts";
import { isTempFile } from "./temp-file.ts";
import { deadOwner, failingAt, type Fault, faultyOps, killedAt } from "../testing/faulty-ops.ts";
import { createWorkspace, type Workspace } from "../testing/workspace.ts";

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

describe.each(SCENARIOS)("$what", (scenario) => {
  const { prepare, act, before, after } = scenario;

  test("killed at any system call leaves the old or the new file, and nothing else after the next start", async () => {
    const faults: string[] = [];
    let step = 0;
    for (; ; step++) {
      const workspace = createWorkspace();
      prepare(workspace);
      const { failed } = await attempt(workspace, act, (from) => killedAt(from + step));
      if (failed === undefined) break;
      const seen = textOf(workspace);
      // Among others the name may be absent for a moment, and is there again after the next start.
      if (act !== contendedWrite && seen !== before && seen !== after) faults.push(`step ${step} ${failed}: ${seen}`);
      await (await workspace.open()).read("folder/a.md");
      const text = textOf(workspace);
      if (text !== before && text !== after) faults.push(`step ${step} ${failed}, restarted: ${text}`);
      faults.push(...leftovers(scenario, workspace).map((fault) => `step ${step} ${failed}: ${fault}`));
    }
    expect(faults).toEqual([]);
    expect(step).toBeGreaterThan(10);
  });

  test.each(["ENOSPC", "EIO", "EROFS"])(
    "meeting %s at any system call is a typed error that changes nothing",
    async (errno) => {
      const faults: string[] = [];
      for (let step = 0; ; step++) {
        const workspace = createWorkspace();
        prepare(workspace);
        const { error, failed } = await attempt(workspace, act, (from) => failingAt(from + step, errno));
        if (failed === undefined) break;
        const where = `step ${step} ${failed}`;
        if (textOf(workspace) !== (error === undefined ? after : before)) faults.push(`${where}: ${textOf(workspace)}`);
        const typed =
          error === undefined || IkigaiError.is(error, "unavailable") || IkigaiError.is(error, "permission_denied");
        if (!typed) faults.push(`${where}: ${messageOf(error)}`);
        // What could not be removed is removed later.
        if (!failed.startsWith("unlink"))
          faults.push(...leftovers(scenario, workspace).map((fault) => `${where}: ${fault}`));
      }
      expect(faults).toEqual([]);
    },
  );
});

/** Runs `act` on a source whose system calls fail from its beginning on as `fault` says. */
async function attempt(
  workspace: Workspace,
  act: Scenario["act"],
  fault: (from: number) => Fault,
): Promise<{ error: unknown; failed: string | undefined }> {
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
  return { error, failed };
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

/** What should not be there, or not be so: our own files, locks, another mode. */
function leftovers({ before }: Scenario, workspace: Workspace): string[] {
  const { root, locks } = workspace;
  const mode = textOf(workspace) === undefined ? undefined : statSync(`${root}/folder/a.md`).mode & 0o7777;
  return [
    ...readdirSync(`${root}/folder`).filter(isTempFile),
    ...readdirSync(locks).filter((name) => !isContentionNote(name)),
    ...(before !== undefined && mode !== undefined && mode !== 0o640 ? [`mode ${mode}`] : []),
  ];
}
