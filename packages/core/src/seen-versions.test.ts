import { expect, test } from "vitest";
import { createSeenVersions } from "./seen-versions.ts";

const actor = (conversation: string, agent = "a") => ({ agent, conversation, callId: "1", tool: "t" });

test("a version that one conversation saw does not count as seen in another of the same agent", () => {
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

test("by default the newest ten thousand are kept", () => {
  const seen = createSeenVersions();
  for (let at = 0; at <= 10_000; at += 1) seen.note(actor("one"), `u${at}`, `v${at}`);
  expect(seen.last(actor("one"), "u0")).toBeUndefined();
  expect(seen.last(actor("one"), "u10000")).toBe("v10000");
});

test("an edit of a version that was seen counts as seen, and one of another version does not", () => {
  const seen = createSeenVersions();
  seen.note(actor("one"), "file:///a", "v1");
  seen.noteWritten(actor("one"), "file:///a", "v2", "v1");
  expect(seen.saw(actor("one"), "file:///a", "v2")).toBe(true);
  seen.noteWritten(actor("one"), "file:///a", "v4", "v3");
  expect(seen.saw(actor("one"), "file:///a", "v4")).toBe(false);
});

test("a text that is written in a shared conversation does not count as seen there", () => {
  const seen = createSeenVersions();
  const shared = { ...actor("one"), isSharedConversation: true };
  seen.noteWritten(shared, "file:///a", "v1");
  expect(seen.saw(shared, "file:///a", "v1")).toBe(false);
});
