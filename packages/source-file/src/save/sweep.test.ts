import { linkSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { versionOf } from "./content.ts";
import { currentOwner, type Owner } from "../lock/owner.ts";
import {
  isTempFile,
  newToken,
  parseTempFile,
  shortVersion,
  type TempFileKind,
  tempFileName,
  targetKey,
} from "./temp-file.ts";
import { isTorn } from "./sweep.ts";
import { deadOwner } from "../testing/faulty-ops.ts";
import { createWorkspace, pathsOf, type Workspace } from "../testing/workspace.ts";

interface Left {
  readonly kind: TempFileKind;
  readonly text: string;
  readonly target?: string;
  readonly before?: string;
  readonly after?: string;
  readonly owner?: Owner;
  readonly token?: string;
}

/** Leaves a file as a killed save would. */
function leave(
  { root }: Workspace,
  { kind, text, target = "a.md", before, after, owner = deadOwner(), token = newToken() }: Left,
): string {
  const version = (one: string | undefined): string =>
    shortVersion(one === undefined ? undefined : versionOf(Buffer.from(one)));
  const name = tempFileName({
    kind,
    owner,
    token,
    target: targetKey(target),
    before: version(before),
    after: version(after),
  });
  writeFileSync(`${root}/${name}`, text);
  return name;
}

/** Opens the folder and changes something else in it: the first change looks for what was left. */
async function startAgain(workspace: Workspace): Promise<string[]> {
  const source = await workspace.open();
  await source.write("other", "");
  return readdirSync(workspace.root).filter((name) => name !== "other" && name !== "folder");
}

const file = ({ root }: Workspace, text: string): void => writeFileSync(`${root}/a.md`, text);
const textOf = ({ root }: Workspace, name = "a.md"): string => readFileSync(`${root}/${name}`, "utf8");

test("a half-written new file is removed at the next start", async () => {
  const workspace = createWorkspace();
  file(workspace, "old");
  leave(workspace, { kind: "tmp", text: "ne", before: "old", after: "new" });
  expect(await startAgain(workspace)).toEqual(["a.md"]);
});

test("a displaced old file that nobody touched is removed at the next start", async () => {
  const workspace = createWorkspace();
  file(workspace, "new");
  leave(workspace, { kind: "old", text: "old", before: "old", after: "new" });
  expect(await startAgain(workspace)).toEqual(["a.md"]);
  expect(textOf(workspace)).toBe("new");
});

test("an edit that went into the old file takes the place of the text that was never acknowledged", async () => {
  const workspace = createWorkspace();
  file(workspace, "new");
  leave(workspace, { kind: "old", text: "edited by a person", before: "old", after: "new" });
  expect(await startAgain(workspace)).toEqual(["a.md"]);
  expect(textOf(workspace)).toBe("edited by a person");
});

test("an edit in the old file and another in the new one are both kept", async () => {
  const workspace = createWorkspace();
  file(workspace, "edited again");
  leave(workspace, { kind: "old", text: "edited by a person", before: "old", after: "new" });
  const [kept, copy] = await startAgain(workspace);
  expect(kept).toBe("a.md");
  expect(textOf(workspace)).toBe("edited again");
  expect(textOf(workspace, copy)).toBe("edited by a person");
  expect(copy).toMatch(/^a\.md\.conflict-[0-9a-f]{8}$/);
  expect(workspace.warnings.join()).toContain(copy);
});

test("a name too long for a copy gets a short one", async () => {
  const workspace = createWorkspace();
  const long = "x".repeat(250);
  writeFileSync(`${workspace.root}/${long}`, "edited again");
  leave(workspace, { kind: "old", text: "edited", target: long, before: "old", after: "new" });
  const names = await startAgain(workspace);
  expect(names.find((name) => name !== long)).toMatch(/^conflict-[0-9a-f]{8}-[0-9a-f]{8}$/);
});

test("a removal that had begun is ended, unless somebody edited the file meanwhile", async () => {
  const workspace = createWorkspace();
  leave(workspace, { kind: "rm", text: "old", before: "old" });
  expect(await startAgain(workspace)).toEqual([]);
  const edited = createWorkspace();
  file(edited, "a new one");
  leave(edited, { kind: "rm", text: "edited", before: "old" });
  expect((await startAgain(edited)).length).toBe(2);
});

test("a temp file of an unknown target stays and is reported", async () => {
  const workspace = createWorkspace();
  const name = leave(workspace, { kind: "old", text: "old", before: "old", after: "new" });
  expect(await startAgain(workspace)).toEqual([name]);
  expect(workspace.warnings.join()).toContain(name);
});

test("a file with two names that was half written gets its old bytes back", async () => {
  const workspace = createWorkspace();
  file(workspace, "NEW TExt");
  linkSync(`${workspace.root}/a.md`, `${workspace.root}/twin`);
  const token = newToken();
  const versions = { before: "old text", after: "NEW TEXT" };
  leave(workspace, { kind: "bak", text: "old text", token, ...versions });
  leave(workspace, { kind: "new", text: "NEW TEXT", token, ...versions });
  expect(await startAgain(workspace)).toEqual(["a.md", "twin"]);
  expect(textOf(workspace, "twin")).toBe("old text");
});

test.each(["old text", "NEW TEXT", "what a person wrote since"])(
  "a file with two names that holds %j stays so",
  async (text) => {
    const workspace = createWorkspace();
    file(workspace, text);
    const token = newToken();
    const versions = { before: "old text", after: "NEW TEXT" };
    leave(workspace, { kind: "bak", text: "old text", token, ...versions });
    leave(workspace, { kind: "new", text: "NEW TEXT", token, ...versions });
    await startAgain(workspace);
    expect(textOf(workspace)).toBe(text);
  },
);

test("files of a live process and young ones of another machine stay, and never show in a list", async () => {
  const workspace = createWorkspace();
  const elsewhere = { ...deadOwner(), place: "00000000" };
  const live = leave(workspace, { kind: "tmp", text: "x", owner: currentOwner() });
  const young = leave(workspace, { kind: "tmp", text: "x", owner: elsewhere });
  const stale = leave(workspace, { kind: "tmp", text: "x", owner: elsewhere });
  const past = new Date(Date.now() - 25 * 60 * 60 * 1000);
  utimesSync(`${workspace.root}/${stale}`, past, past);
  expect((await startAgain(workspace)).toSorted()).toEqual([live, young].toSorted());
  expect(await pathsOf(await workspace.open())).toEqual(["other"]);
});

test("the names of our files say everything and belong to nobody else", () => {
  const hex = (length: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: length, maxLength: length });
  const tempFile = fc.record({
    kind: fc.constantFrom<TempFileKind>("tmp", "old", "rm", "bak", "new"),
    owner: fc.record({ pid: fc.nat(), start: fc.nat().map(String), place: hex(8) }),
    token: hex(12),
    target: hex(8),
    before: hex(16),
    after: hex(16),
  });
  fc.assert(
    fc.property(tempFile, (one) => {
      expect(parseTempFile(tempFileName(one))).toEqual(one);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (name) => {
      expect(isTempFile(name)).toBe(parseTempFile(name) !== undefined);
    }),
  );
});

test("a torn file is any beginning of the new text before the rest of the old, and nothing else", () => {
  const bytes = fc.uint8Array({ maxLength: 20 }).map((one) => Buffer.from(one));
  fc.assert(
    fc.property(bytes, bytes, fc.nat(20), (old, complete, at) => {
      const cut = Math.min(at, complete.length);
      const torn = Buffer.concat([complete.subarray(0, cut), old.subarray(cut)]);
      expect(isTorn(torn, old, complete)).toBe(!torn.equals(old) && !torn.equals(complete));
    }),
  );
  expect(isTorn(Buffer.from("a person's"), Buffer.from("old"), Buffer.from("new"))).toBe(false);
});
