import { describe, expect, onTestFinished, test } from "vitest";
import { callsOf, fuzz } from "./fuzz.ts";
import { isKnown } from "./known-findings.ts";
import { openStage } from "./stage.ts";
import { finalPlace, type TreeEntry } from "./tree.ts";
import { planWorld } from "./world-plan.ts";

const WITHIN_MS = 300_000;

test(
  "some hundred random calls in two worlds break no promise",
  async () => {
    const stage = await openStage();
    onTestFinished(() => stage.close());
    const { calls, findings, totals } = await fuzz([stage], {
      seed: 100,
      calls: 240,
      perWorld: 120,
      stops: () => false,
    });
    expect(
      findings
        .filter((finding) => !isKnown(finding))
        .map(({ kind, detail, plan }) => `${plan.seed}: ${kind}: ${detail}`),
    ).toEqual([]);
    expect(calls).toBe(240);
    expect(totals.changed).toBeGreaterThan(0);
    expect(totals.undone).toBeGreaterThan(0);
  },
  WITHIN_MS,
);

test("a seed gives the same world and the same calls each time, and another seed gives others", () => {
  expect(planWorld(7)).toEqual(planWorld(7));
  expect(callsOf(7, 300)).toEqual(callsOf(7, 300));
  expect(callsOf(7, 300)).not.toEqual(callsOf(8, 300));
});

test("a thousand calls use every tool", () => {
  const used = new Set(callsOf(3, 3_000).map(({ tool }) => tool));
  const all =
    "file_read file_write file_edit file_delete file_move block block_edit source history undo slash_command recall read_note get_note_metadata list_notes create_note delete_note update_note rename_note search_notes search_by_tags search_by_properties find_related list_tags add_tag remove_tag bash bash_jobs grep glob file shelf_put shelf_drop";
  expect(all.split(" ").filter((tool) => !used.has(tool))).toEqual([]);
});

describe("the final place of a path in a tree", () => {
  const entry = (kind: TreeEntry["kind"], content = ""): TreeEntry => ({
    kind,
    content,
    mode: 0o644,
    inode: 0,
    size: 0,
    changedMs: 0,
    isFresh: false,
  });
  const tree = new Map([
    ["/w", entry("folder")],
    ["/w/chain", entry("link", "next")],
    ["/w/next", entry("link", "../out/absent.txt")],
    ["/w/folder", entry("link", "/out")],
    ["/w/loop", entry("link", "loop")],
    ["/out", entry("folder")],
  ]);
  test.each([
    ["/w/plain.txt", "/w/plain.txt"],
    ["/w/chain", "/out/absent.txt"],
    ["/w/folder/new/file.md", "/out/new/file.md"],
    ["/w/folder/../x", "/x"],
    ["/w/loop", undefined],
  ])("%s is %s", (path, place) => expect(finalPlace(tree, path)).toBe(place));
});
