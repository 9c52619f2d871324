import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  assertMountName,
  compareCodePoints,
  formatAddress,
  isMountName,
  mountOf,
  parseAddress,
  parsePrefix,
  splitAddress,
} from "./address.ts";
import { IkigaiError } from "./errors.ts";

test.each([
  ["src/main.c", "file", "src/main.c"],
  ["./src//main.c", "file", "src/main.c"],
  ["src/../lib/./a.c", "file", "lib/a.c"],
  ["a/", "file", "a"],
  ["ikigai:///blocks/a.md", "ikigai", "blocks/a.md"],
  ["ikigai:////blocks/a.md", "ikigai", "blocks/a.md"],
  ["IKIGAI:///blocks/a.md", "ikigai", "blocks/a.md"],
  ["ikigai:///a%2e%2e/b", "ikigai", "a%2e%2e/b"],
  ["/etc/passwd", "host", "etc/passwd"],
  ["host:///etc/passwd", "host", "etc/passwd"],
  ["./odd:///name", "file", "odd:/name"],
  ["...", "file", "..."],
  ["a\nb", "file", "a\nb"],
])("%j is a place in %s", (text, mount, path) => {
  expect(parseAddress(text, "file")).toEqual({ mount, path });
});

test.each([
  ["", "invalid_input"],
  [".", "invalid_input"],
  ["/", "invalid_input"],
  ["ikigai:///", "invalid_input"],
  ["a/..", "invalid_input"],
  ["ikigai://host/x", "invalid_input"],
  ["ikigai://", "invalid_input"],
  ["not_a_mount:///x", "invalid_input"],
  ["a.b:///x", "invalid_input"],
  ["a\0b", "invalid_input"],
  ["a\\b", "invalid_input"],
  ["a\ud800b", "invalid_input"],
  ["x".repeat(4_097), "invalid_input"],
  ["/".repeat(9_000), "invalid_input"],
  ["..", "permission_denied"],
  ["../etc/passwd", "permission_denied"],
  ["a/../../b", "permission_denied"],
  ["ikigai:///../x", "permission_denied"],
  ["/..", "permission_denied"],
] as const)("%j is refused as %s", (text, code) => {
  const attempt = () => parseAddress(text, "file");
  expect(attempt).toThrow(IkigaiError);
  expect(attempt).toThrow(expect.objectContaining({ code, hint: expect.stringMatching(/./) as string }));
});

test("a mount itself is a place to list, not to read", () => {
  expect(parsePrefix("ikigai:///", "file")).toEqual({ mount: "ikigai", path: "" });
  expect(parsePrefix(".", "file")).toEqual({ mount: "file", path: "" });
  expect(parsePrefix("", "file")).toEqual({ mount: "file", path: "" });
});

test("a name of a mount is short, lower case and starts with a letter", () => {
  for (const name of ["file", "a", "my-notes-2"]) {
    expect(isMountName(name)).toBe(true);
    expect(() => assertMountName(name)).not.toThrow();
  }
  for (const name of ["", "File", "2a", "a_b", "a".repeat(33), "a\n"]) {
    expect(isMountName(name)).toBe(false);
    expect(() => assertMountName(name)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  }
});

const pieces = fc.constantFrom("a", "b.md", "..", ".", "", "é🧠", "%2e", "c d", "~", "x:", "ikigai:", "*");
const spelling = fc.tuple(
  fc.constantFrom("", "/", "ikigai:///", "IKIGAI:////", "./"),
  fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("/")),
);
const anything = fc.oneof(
  spelling.map(([start, rest]) => start + rest),
  fc.string({ unit: "binary" }),
);

test("whatever is accepted has one canonical form, and parsing that changes nothing", () => {
  fc.assert(
    fc.property(anything, (text) => {
      const address = attempt(text);
      fc.pre(address !== undefined);
      const canonical = formatAddress(address);
      expect(parsePrefix(canonical, "other")).toEqual(address);
      expect(formatAddress(parsePrefix(canonical, "other"))).toBe(canonical);
    }),
  );
});

test("no accepted path leaves its root, holds an empty segment, or holds what a file system would misread", () => {
  fc.assert(
    fc.property(anything, (text) => {
      const path = attempt(text)?.path ?? "";
      fc.pre(path !== "");
      expect(path).not.toMatch(/\0|\\/);
      for (const segment of path.split("/")) expect(["", ".", ".."]).not.toContain(segment);
    }),
  );
});

test("doubled slashes, dots and steps back between the segments of a path change nothing", () => {
  const noise = fc.constantFrom("/", "//", "/./", "/x/../");
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b", "c.md"), noise), { minLength: 1 }), (parts) => {
      const plain = parts.map(([segment]) => segment).join("/");
      const noisy = parts.flat().join("");
      expect(parseAddress(noisy, "file")).toEqual(parseAddress(plain, "file"));
    }),
  );
});

test("paths are ordered as their code points are, also beyond the first 65,536", () => {
  const sorted = ["a", "ab", "b", "\uffee", "\u{1f680}"];
  expect(sorted.toReversed().toSorted(compareCodePoints)).toEqual(sorted);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
      const [left, right] = [Array.from(a, codePoint), Array.from(b, codePoint)];
      const at = left.findIndex((point, index) => point !== right[index]);
      const wanted = at === -1 ? left.length - right.length : (left[at] as number) - (right[at] ?? -1);
      expect(Math.sign(compareCodePoints(a, b))).toBe(Math.sign(wanted));
    }),
  );
});

function codePoint(character: string): number {
  return character.codePointAt(0) as number;
}

function attempt(text: string): ReturnType<typeof parsePrefix> | undefined {
  try {
    return parsePrefix(text, "file");
  } catch (error) {
    if (!IkigaiError.is(error)) throw error;
    return undefined;
  }
}

test("an address with a slash too few is no folder of that name", () => {
  expect(() => parsePrefix("ikigai:/blocks/a.md", "file")).toThrow("three slashes");
  expect(parsePrefix("c:/x", "file")).toEqual({ mount: "file", path: "c:/x" });
});

test("a path has at most 2,048 bytes, and one that is longer is refused with its length", () => {
  const longest = `${"ü".repeat(1_000)}/${"x".repeat(47)}`;
  expect(parseAddress(`a:///./${longest}`, "file").path).toBe(longest);
  expect(parseAddress("x".repeat(2_048), "file").path).toHaveLength(2_048);
  for (const [path, bytes] of [
    [`${longest}x`, 2_049],
    ["é".repeat(2_000), 4_000],
    ["y".repeat(20_000), 20_000],
  ] as const) {
    expect(() => parseAddress(path, "file")).toThrow(`its path has ${bytes} bytes, and at most 2048 are taken`);
  }
});

test.each([
  ["file:///a/b.md", { mount: "file", path: "a/b.md" }],
  ["block:///file:///a", { mount: "block", path: "file:///a" }],
  ["ikigai:///", { mount: "ikigai", path: "" }],
  ["File:///a", undefined],
  ["a/b.md", undefined],
  ["cat file:///a", undefined],
  ["https://example.org/x", undefined],
])("the mount and the path of what is written as an address: %s", (text, parts) => {
  expect(splitAddress(text)).toEqual(parts);
  expect(mountOf(text)).toBe(parts?.mount);
  if (parts !== undefined) expect(formatAddress(parts)).toBe(text);
});
