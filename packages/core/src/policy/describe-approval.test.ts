import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ApprovalRequest } from "./approval.ts";
import { describeApproval } from "./describe-approval.ts";
import { escapeHidden } from "../hidden-characters.ts";
import type { Effect, Verdict } from "./policy.ts";
import type { Preview } from "../tool/tool.ts";

const UPDATE: Effect = { action: "update", target: "file:///src/a.ts" };

function asked(effect: Effect, more: Partial<Verdict> = {}): Verdict {
  const reason = `approval mode "ask" asks before ${effect.action}`;
  return { effect, decision: "ask", needs: "mode", trace: [{ layer: "mode", decision: "ask", reason }], ...more };
}

function request(input: unknown, preview?: Preview, more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    tool: "t",
    agent: "ada",
    conversation: "c",
    callId: "1",
    input,
    verdicts: [asked(UPDATE)],
    preview: async () => preview,
    signal: new AbortController().signal,
    ...more,
  };
}

test("a call without a preview shows every argument, whole", async () => {
  const content = Array.from({ length: 200 }, (_, index) => `line ${index}`).join("\n");
  const { what, change, given } = await describeApproval(
    request({ op: "insert", content, tags: ["a", "b"], importance: 3, none: undefined }, undefined, {
      operation: "insert",
    }),
  );
  expect(what).toEqual(["update file:///src/a.ts"]);
  expect(change).toEqual([]);
  expect(given.slice(0, 3)).toEqual(["content:", "  line 0", "  line 1"]);
  expect(given.slice(200)).toEqual(["  line 199", "tags:", "  [", '    "a",', '    "b"', "  ]", "importance: 3"]);
});

test("a question does not repeat what its effects, its description or its difference already say", async () => {
  const command = "for f in *; do\n  echo $f\ndone";
  const execute = asked({ action: "execute", target: command });
  const shell = await describeApproval(
    request({ command, timeout_ms: 5 }, { description: "Run in ." }, { verdicts: [execute] }),
  );
  expect(shell.what).toEqual(["execute for f in *; do", "  echo $f", "done", "Run in ."]);
  expect(shell.given).toEqual(["timeout_ms: 5"]);
  const edit = await describeApproval(
    request(
      { path: "src/a.ts", old: "two", new: "2", force: true },
      { description: "Edit file:///src/a.ts", before: "one\ntwo\nthree", after: "one\n2\nthree", count: 2 },
    ),
  );
  expect(edit.what).toEqual(["update file:///src/a.ts", "affects 2 things", "new size 11 bytes"]);
  expect(edit.change).toEqual(["@@ line 1 → 1 @@", " one", "-two", "+2", " three"]);
  expect(edit.given).toEqual(["force: true"]);
  const said = await describeApproval(request({}, { description: UPDATE.target, count: 1, warning: "links break" }));
  expect(said.what).toEqual(["update file:///src/a.ts", "warning: links break"]);
});

test("a preview that fails leaves the arguments", async () => {
  const failing = request({ name: "x" }, undefined, { preview: () => Promise.reject(new Error("gone")) });
  expect((await describeApproval(failing)).given).toEqual(["name: x"]);
  expect((await describeApproval(request(undefined))).given).toEqual([]);
  expect((await describeApproval(request(["x"]))).given).toEqual(['["x"]']);
});

test("a reason other than the mode, and the person who is asked, stand with the effect", async () => {
  const trace = [{ layer: "protected", decision: "ask", needs: "person", reason: ".git is always asked for" }] as const;
  const { what, why } = await describeApproval(
    request({}, undefined, { verdicts: [asked(UPDATE, { needs: "person", person: "partner", trace })] }),
  );
  expect(what).toEqual(["update file:///src/a.ts", "because .git is always asked for", "asks the partner"]);
  expect(why).toEqual(["agent: ada", "update: protected says ask: .git is always asked for"]);
});

test("a difference is whole: text that is new, gone, or the same", async () => {
  const change = async (preview: Omit<Preview, "description">): Promise<readonly string[]> =>
    (await describeApproval(request({}, { description: "", ...preview }))).change;
  expect(await change({ after: "a\nb" })).toEqual(["@@ line 1 → 1 @@", "+a", "+b"]);
  expect(await change({ before: "a\nb" })).toEqual(["@@ line 1 → 1 @@", "-a", "-b"]);
  expect(await change({ before: "a", after: "a" })).toEqual([]);
  const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lines, lines, async (before, after) => {
      const shown = await change({ before: before.join("\n"), after: after.join("\n") });
      const kept = (mark: string): string[] =>
        shown.slice(1).flatMap((line) => (line.startsWith(mark) || line.startsWith(" ") ? [line.slice(1)] : []));
      expect(shown.length === 0).toBe(before.join("\n") === after.join("\n"));
      expect(before.join("\n")).toContain(kept("-").join("\n"));
      expect(after.join("\n")).toContain(kept("+").join("\n"));
    }),
  );
});

test("no line of a question holds characters that hide, reorder or steer text", async () => {
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  const hidden = /[\p{Cf}\p{Cs}\p{Co}\0-\x1f\x7f-\x9f\u2028\u2029\u3164]/u;
  const text = fc.string({ unit: "binary", maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(text, text, text, async (target, content, description) => {
      const verdicts = [asked({ action: "execute", target })];
      const shown = await describeApproval(
        request({ content }, { description, before: content, after: target }, { verdicts, tool: target }),
      );
      for (const line of [shown.heading, ...shown.what, ...shown.change, ...shown.given, ...shown.why]) {
        expect(line).not.toMatch(hidden);
      }
    }),
  );
});

test("characters that cannot be seen are written as their codes, and every other character stays", () => {
  expect(escapeHidden("a\u200bb\u202ec\u001b[2J\r\nd\te\rf\0\ud800\u{e0041}")).toBe(
    String.raw`a\u{200b}b\u{202e}c\u{1b}[2J` + "\nd    e" + String.raw`\rf\0\u{d800}\u{e0041}`,
  );
  expect(escapeHidden("Grüße, 日本語 ⚠️ ok\n")).toBe("Grüße, 日本語 ⚠️ ok\n");
});
