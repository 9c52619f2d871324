import type { Effect } from "@ikigai/core";
import { expect, test } from "vitest";
import { memoryName, wroteTo } from "./wrote-to.ts";

const options = { workspace: "/home/ada/shop", memory: "agent ada in /home/ada/store" };
const MEMORY = "memory: agent ada in /home/ada/store";
const WORKSPACE = "workspace: /home/ada/shop";

test.each([
  [[{ action: "update", target: "file:///a.md" }], WORKSPACE],
  [[{ action: "execute", target: "npm test" }], WORKSPACE],
  [[{ action: "create", target: "ikigai:///blocks/a.md" }], MEMORY],
  [[{ action: "append", target: "recall:///entries" }], MEMORY],
  [[{ action: "update", target: "pin:///ada" }], MEMORY],
  [[{ action: "admin", target: "budget:///ada" }], MEMORY],
  [[{ action: "admin", target: "share:///plan" }], MEMORY],
  [[{ action: "update", target: "host:///etc/hosts" }], "machine: /etc/hosts"],
  [[{ action: "create", target: "redis:///a" }], "source: redis"],
  [[{ action: "admin", target: "source:///clock" }], "source: clock"],
  [[{ action: "execute", target: "mcp://weather/set" }], undefined],
  [
    [
      { action: "read", target: "ikigai:///blocks/a.md" },
      { action: "delete", target: "ikigai:///blocks/a.md" },
      { action: "create", target: "file:///a.md" },
      { action: "create", target: "file:///b.md" },
    ],
    `${MEMORY}, ${WORKSPACE}`,
  ],
  [[{ action: "network", target: "https://example.org/" }], undefined],
  [[], undefined],
] as const satisfies readonly (readonly [readonly Effect[], string | undefined])[])(
  "effects %j are told as %s",
  (effects, place) => expect(wroteTo(effects, options)).toBe(place),
);

test("a server without a workspace names none", () => {
  expect(wroteTo([{ action: "execute", target: "ls" }], { ...options, workspace: undefined })).toBeUndefined();
});

test("the store of a server is named without its password", () => {
  const settings = { agent: "ada", stateDirectory: "/s", storeUrl: "postgres://ada:secret@host/db?password=other" };
  expect(memoryName(settings)).toBe("agent ada in postgres://ada@host/db");
});
