import { countLines } from "@ikigai/core/text";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  atState,
  type BlockDocument,
  createBlockDocument,
  exportUpdate,
  frontiersOf,
  importUpdate,
  mergeTextAt,
  openBlockDocument,
  revertStep,
  textOf,
  versionOf,
} from "./block-document.ts";
import { applyEdit, type ContentEdit } from "../edits/apply-edit.ts";
import type { StoredBytes } from "../block-store.ts";
import { NOW, SCHEMAS } from "../../testing/block-bench.test.helper.ts";
import { loadLibraries } from "./libraries.ts";

await loadLibraries();

const context = { label: "b", now: NOW };

function textBlock(text: string): BlockDocument {
  return createBlockDocument({ kind: "text" }, new Map([["content", text]]));
}

function replicaOf(document: BlockDocument): BlockDocument {
  const bytes = document.doc.export({ mode: "snapshot" });
  return openBlockDocument("b", document.schema, { snapshots: [{ revision: 0, bytes }], updates: [] }).document;
}

function exchange(one: BlockDocument, other: BlockDocument): void {
  const [a, b] = [exportUpdate(one, ""), exportUpdate(other, "")];
  importUpdate("b", one, b);
  importUpdate("b", other, a);
}

/** Tries an edit; many random ones are refused, which changes nothing. */
function attempt(document: BlockDocument, edit: ContentEdit): boolean {
  try {
    applyEdit(document, edit, context);
    return true;
  } catch {
    return false;
  }
}

describe("two replicas", () => {
  interface Step {
    readonly side: 0 | 1;
    readonly at: number;
    readonly kind: "insert" | "cut" | "meet";
  }
  const steps = fc.array(
    fc.record<Step>({
      side: fc.constantFrom(0, 1),
      at: fc.nat({ max: 30 }),
      kind: fc.constantFrom("insert", "insert", "insert", "cut", "meet"),
    }),
    { maxLength: 25 },
  );

  test("merge to the same text whatever was edited, and lose no inserted character", () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const first = textBlock("the quick brown fox\njumps over\nthe lazy dog\n");
        const replicas = [first, replicaOf(first)] as const;
        const inserted: string[] = [];
        for (const [index, { side, at, kind }] of sequence.entries()) {
          const document = replicas[side];
          const text = textOf(document);
          if (kind === "meet") exchange(...replicas);
          else if (kind === "cut") {
            // Only letters of the first text are cut, so whatever was inserted must be there at the end.
            const letter = "abcdefghijklmnopqrstuvwxyz"[at] ?? "z";
            attempt(document, { op: "replace", old: letter, new: "", mode: "nth", nth: 1 });
          } else {
            const mark = String.fromCodePoint(0x4e00 + index);
            const words = text.split(/(?<=\s)/);
            const word = words[at % words.length] ?? "";
            const nth = words.slice(0, at % words.length).filter((one) => one.includes(word)).length + 1;
            if (attempt(document, { op: "replace", old: word, new: `${word}${mark}`, mode: "nth", nth })) {
              inserted.push(mark);
            }
          }
        }
        exchange(...replicas);
        const [one, other] = replicas.map(textOf);
        expect(one).toBe(other);
        expect(inserted.filter((mark) => !one?.includes(mark))).toEqual([]);
        expect(versionOf(frontiersOf(replicas[0]))).toBe(versionOf(frontiersOf(replicas[1])));
      }),
      { numRuns: 100 },
    );
  });

  test.each(["list", "log", "map", "composite"] as const)("of schema %s agree after concurrent edits", (kind) => {
    const first = createBlockDocument(SCHEMAS[kind]);
    const second = replicaOf(first);
    const edits: Record<string, [ContentEdit, ContentEdit]> = {
      list: [
        { op: "append", content: "mine" },
        { op: "edit_range", start: 1, end: 1, content: "theirs" },
      ],
      log: [
        { op: "append", content: "mine" },
        { op: "append", content: "theirs" },
      ],
      map: [
        { op: "set_field", field: "name", value: "mine" },
        { op: "set_field", field: "tags", value: ["theirs"] },
      ],
      composite: [
        { op: "set_field", field: "about", value: "mine" },
        { op: "set_field", field: "facts.city", value: "theirs" },
      ],
    };
    const [mine, theirs] = edits[kind] as [ContentEdit, ContentEdit];
    applyEdit(first, mine, context);
    applyEdit(second, theirs, context);
    exchange(first, second);
    expect(textOf(first)).toBe(textOf(second));
    expect(textOf(first)).toContain("mine");
    expect(textOf(first)).toContain("theirs");
  });
});

describe("taking steps back", () => {
  test("any number of edits, undone one by one, leads back to the beginning", () => {
    const words = fc.constantFrom("one ", "two ", "😀", "\n", "three");
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 8 }), fc.array(fc.nat({ max: 6 })), (added, cuts) => {
        const document = textBlock("start\nend\n");
        const states = [frontiersOf(document)];
        for (const content of added) {
          applyEdit(document, { op: "append", content }, context);
          states.push(frontiersOf(document));
        }
        for (const line of cuts) {
          if (attempt(document, { op: "edit_range", start: line, end: line, content: "" })) {
            states.push(frontiersOf(document));
          }
        }
        const texts = states.map((state) => atState(document, state, textOf));
        for (let at = states.length - 1; at > 0; at--) {
          const step = { before: states[at - 1] as string, after: states[at] as string };
          revertStep(document, step);
          expect(textOf(document)).toBe(texts[at - 1]);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("what was cut, brought back and cut again leaves nothing behind", () => {
    const document = textBlock("x");
    const states = [frontiersOf(document)];
    for (const edit of [
      { op: "append", content: "abc" },
      { op: "replace", old: "b", new: "" },
    ] as const) {
      applyEdit(document, edit, context);
      states.push(frontiersOf(document));
    }
    const [start = "", inserted = "", cut = ""] = states;
    revertStep(document, { before: inserted, after: cut });
    expect(textOf(document)).toBe("xabc");
    revertStep(document, { before: start, after: inserted });
    expect(textOf(document)).toBe("x");
  });
});

test("a text that was made elsewhere out of an older state joins what happened here", () => {
  const document = textBlock("one\ntwo\nthree\n");
  const loaded = frontiersOf(document);
  applyEdit(document, { op: "replace", old: "one", new: "ONE" }, context);
  const met = mergeTextAt(document, loaded, "one\ntwo\nTHREE\n");
  expect(textOf(document)).toBe("ONE\ntwo\nTHREE\n");
  expect(atState(document, met, textOf)).toBe("one\ntwo\nTHREE\n");
});

test("a text that was rewritten altogether reaches a replica whole", () => {
  const lines = (word: string): string => Array.from({ length: 2_000 }, (_, i) => `${word} ${i}\n`).join("");
  const document = textBlock(lines("old"));
  const replica = replicaOf(document);
  const since = frontiersOf(document);
  applyEdit(document, { op: "replace", old: "old", new: "a new", mode: "all" }, context);
  importUpdate("b", replica, exportUpdate(document, since));
  expect(textOf(replica)).toBe(lines("a new"));
  mergeTextAt(replica, since, lines("their"));
  expect(countLines(textOf(replica))).toBeGreaterThanOrEqual(2_000);
  expect(textOf(replica)).toContain("their 1999");
});

describe("what is stored", () => {
  const good = textBlock("hello");
  const snapshot = good.doc.export({ mode: "snapshot" });
  const known = frontiersOf(good);
  applyEdit(good, { op: "append", content: " world" }, context);
  const update = exportUpdate(good, known);
  const stored = (revision: number, bytes: Uint8Array): StoredBytes => ({ revision, bytes });
  const damage = (bytes: Uint8Array, at: number): Uint8Array => bytes.with(at, (bytes[at] as number) ^ 0xff);

  test("opens to the same text, whether from a snapshot or from updates behind it", () => {
    const opened = openBlockDocument("b", good.schema, {
      snapshots: [stored(0, snapshot)],
      updates: [stored(1, update)],
    });
    expect(textOf(opened.document)).toBe("hello world");
    expect(opened.refused).toEqual([]);
  });

  test("a damaged snapshot is refused for the one before it, and nothing is lost", () => {
    const newest = good.doc.export({ mode: "snapshot" });
    const opened = openBlockDocument("b", good.schema, {
      snapshots: [stored(1, damage(newest, newest.length - 5)), stored(0, snapshot)],
      updates: [stored(1, update)],
    });
    expect(textOf(opened.document)).toBe("hello world");
    expect(opened.refused).toHaveLength(1);
  });

  test("no damaged byte, no cut and no gap gives another text", () => {
    const open = (bytes: Uint8Array): string => {
      try {
        return textOf(openBlockDocument("b", good.schema, { snapshots: [stored(0, bytes)], updates: [] }).document);
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const outcomes = new Set<string>();
    for (let at = 0; at < snapshot.length; at++) {
      outcomes.add(open(damage(snapshot, at)));
      outcomes.add(open(snapshot.slice(0, at)));
    }
    expect([...outcomes].filter((outcome) => outcome !== "hello" && outcome !== "unavailable")).toEqual([]);
  });

  test("a damaged update, or one whose predecessor is missing, leaves an open document as it was", () => {
    const { document } = openBlockDocument("b", good.schema, { snapshots: [stored(0, snapshot)], updates: [] });
    expect(() => importUpdate("b", document, damage(update, update.length - 1))).toThrow("damaged");
    expect(textOf(document)).toBe("hello");
    expect(() => importUpdate("b", document, update.slice(0, 5))).toThrow("damaged");
    const ahead = frontiersOf(good);
    applyEdit(good, { op: "append", content: "!" }, context);
    const later = exportUpdate(good, ahead);
    expect(() => importUpdate("b", document, later)).toThrow("an earlier change is missing");
    expect(textOf(document)).toBe("hello");
  });
});
