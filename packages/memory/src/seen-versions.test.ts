import { expect, test } from "vitest";
import { createSeenVersions } from "./seen-versions.ts";

const actor = (conversation: string, agent = "a") => ({ agent, conversation, callId: "1", tool: "t" });

test("what one conversation saw, another of the same agent has not", () => {
  const seen = createSeenVersions();
  seen.note(actor("one"), "file:///a", "v1");
  expect(seen.saw(actor("one"), "file:///a", "v1")).toBe(true);
  expect(seen.saw(actor("two"), "file:///a", "v1")).toBe(false);
  expect(seen.saw(actor("one", "b"), "file:///a", "v1")).toBe(false);
});

test("only the last version counts as seen", () => {
  const seen = createSeenVersions();
  seen.note(actor("one"), "file:///a", "v1");
  seen.note(actor("one"), "file:///a", "v2");
  expect(seen.saw(actor("one"), "file:///a", "v1")).toBe(false);
  expect(seen.saw(actor("one"), "file:///a", "v2")).toBe(true);
});

test("beyond the limit the longest unnoted is forgotten", () => {
  const seen = createSeenVersions({ limit: 2 });
  for (const uri of ["a", "b", "a", "c"]) seen.note(actor("one"), uri, "v");
  expect(["a", "b", "c"].map((uri) => seen.saw(actor("one"), uri, "v"))).toEqual([true, false, true]);
});
