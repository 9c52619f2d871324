import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { IkigaiError } from "@ikigai/core";
import { expect, test } from "vitest";
import type { FileBlock } from "../open-file-source.ts";
import { faultyOps } from "../testing/faulty-ops.ts";
import { createWorkspace, pathsOf, type Workspace } from "../testing/workspace.ts";

const ACTS: Readonly<Record<string, (source: FileBlock) => Promise<unknown>>> = {
  read: (source) => source.read("folder/a.md"),
  write: (source) => source.write("folder/a.md", "inside, changed"),
  create: (source) => source.write("folder/new.md", "new", { expected: null }),
  "create in a new folder": (source) => source.write("folder/sub/new.md", "new"),
  remove: (source) => source.remove("folder/a.md"),
  list: (source) => pathsOf(source, "folder/"),
};

test.each([
  ...Object.keys(ACTS).map((act) => ({ act, procfs: true })),
  // Without /proc only reading can be checked after the fact.
  { act: "read", procfs: false },
])("$act stays inside when the folder becomes a link at any step (through /proc: $procfs)", async ({ act, procfs }) => {
  const faults: string[] = [];
  let step = 0;
  for (; ; step++) {
    const workspace = createWorkspace();
    const outside = prepareOutside(workspace);
    let from = Number.POSITIVE_INFINITY;
    let met: string | undefined;
    const { ops, calls } = faultyOps((name, index) => {
      if (met !== undefined || index !== from + step) return undefined;
      met = name;
      renameSync(`${workspace.root}/folder`, `${workspace.root}/moved`);
      symlinkSync("../outside", `${workspace.root}/folder`);
      return undefined;
    });
    const source = await workspace.open({}, { ops, procfs });
    from = calls.length;
    const answer = await ACTS[act]?.(source).then(
      (value) => JSON.stringify(value),
      (error: unknown) => (IkigaiError.is(error) ? error.code : `threw ${String(error)}`),
    );
    from = Number.POSITIVE_INFINITY;
    if (met === undefined) break;
    if (answer?.includes("OUTSIDE") === true || answer?.startsWith("threw") === true) faults.push(`${met}: ${answer}`);
    const left = readdirSync(outside).map((name) => readFileSync(`${outside}/${name}`, "utf8"));
    if (left.join() !== "OUTSIDE") faults.push(`${met} changed the outside: ${left.join()}`);
  }
  expect(faults).toEqual([]);
  expect(step).toBeGreaterThan(3);
});

test("without /proc a folder that was exchanged under our hands is noticed", async () => {
  const workspace = createWorkspace();
  const outside = prepareOutside(workspace);
  mkdirSync(`${workspace.root}/folder/sub`);
  mkdirSync(`${outside}/sub`);
  writeFileSync(`${outside}/sub/a.md`, "OUTSIDE");
  const { ops } = faultyOps((name, _index, [path]) => {
    if (name !== "open" || path !== `${workspace.root}/folder/sub`) return undefined;
    renameSync(`${workspace.root}/folder`, `${workspace.root}/moved`);
    symlinkSync("../outside", `${workspace.root}/folder`);
    return undefined;
  });
  const source = await workspace.open({}, { ops, procfs: false });
  await expect(source.read("folder/sub/a.md")).rejects.toMatchObject({ code: "permission_denied" });
});

function prepareOutside({ base, root }: Workspace): string {
  mkdirSync(`${base}/outside`);
  writeFileSync(`${base}/outside/a.md`, "OUTSIDE");
  writeFileSync(`${root}/folder/a.md`, "inside");
  return `${base}/outside`;
}
