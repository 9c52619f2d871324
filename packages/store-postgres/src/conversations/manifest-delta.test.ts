import fc from "fast-check";
import { expect, test } from "vitest";
import { fromDelta, needsBase, toDelta } from "./manifest-delta.ts";

interface Entry {
  readonly kind: string;
  readonly source: string;
  readonly version: string;
  readonly tokens: number;
  readonly reason: string;
}

test("any manifest comes back from its difference to any other", () => {
  const entries = fc.array(fc.oneof(fc.constantFrom("a", "b", "c"), fc.record({ source: fc.nat(5) })), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(entries, entries, fc.nat(), (before, after, tokens) => {
      const manifest = { entries: after, tokens };
      const delta = toDelta({ entries: before }, manifest);
      expect(fromDelta({ entries: before }, delta)).toEqual(manifest);
    }),
  );
});

test("a thousand turns with a hundred pins take less than a megabyte", () => {
  let base: { entries: readonly Entry[] } | undefined;
  let [size, spent] = [0, 0];
  for (let turn = 0; turn < 1_000; turn++) {
    const manifest = { entries: manifestOf(turn), tokens: 60_000 + turn, limit: 150_000, evicted: 0 };
    const delta = toDelta(base ?? { entries: [] }, manifest);
    if (base === undefined || needsBase(JSON.stringify(base).length, spent, delta)) {
      base = manifest;
      spent = 0;
      size += JSON.stringify(manifest).length;
    } else {
      expect(fromDelta(base, delta)).toEqual(manifest);
      spent += delta.length;
      size += delta.length;
    }
  }
  expect(size).toBeLessThan(1_000_000);
});

/** The window changes each turn, and one of the pins every tenth. */
function manifestOf(turn: number): Entry[] {
  const pins = Array.from({ length: 100 }, (_, index) => ({
    kind: "pinned",
    source: `ikigai:///blocks/pin-${index}.md`,
    version: String(Math.floor((turn + 10 * index) / 1_000)),
    tokens: 500,
    reason: "pinned",
  }));
  const window = { kind: "window", source: "conversation", version: `${turn * 2} messages`, tokens: turn, reason: "" };
  return [...pins, window];
}
