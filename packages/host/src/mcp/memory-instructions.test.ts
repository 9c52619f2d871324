import { expect, test } from "vitest";
import { memoryInstructions } from "./memory-instructions.ts";

const mount = (name: string, more: object = {}) => ({ mount: name, name, kind: "block" as const, ...more });
const OWN = [mount("file"), mount("ikigai"), mount("output")];

test("a model is told that this is a memory and how it is used", () => {
  const text = memoryInstructions({
    mounts: OWN,
    tools: ["recall", "file_read", "file_edit", "slash_command", "search_notes"],
  });
  for (const word of [
    "long-term memory",
    "recall with op search",
    "save it",
    "/remember",
    "ikigai:///blocks/",
    "search_notes",
  ]) {
    expect(text).toContain(word);
  }
  expect(text).not.toContain("Also mounted");
});

test("only tools that are offered and sources that are mounted are named", () => {
  const text = memoryInstructions({ mounts: [mount("file")], tools: ["grep"] });
  for (const word of ["recall", "slash_command", "file_read", "ikigai:///", "search_notes"])
    expect(text).not.toContain(word);
  const all = memoryInstructions({
    mounts: [
      ...OWN,
      mount("repo", { name: "git", guidance: "Read\n  only." }),
      mount("clock", { name: "cron", kind: "stream" }),
    ],
    tools: ["file_read"],
  });
  expect(all).toContain("Also mounted:\n- repo: git, at repo:///. Read only.\n- clock: events of cron");
  expect(all).not.toContain("file_edit");
});
