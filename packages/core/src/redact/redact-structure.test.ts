import { expect, test } from "vitest";
import { createRedactor } from "./redactor.ts";

const { redactValue } = createRedactor({ env: { DEPLOY_PASSWORD: "tr0ub4dor&3" } });

test("the redactor hides the value of a field with a secret's name, and keeps the form of a value", () => {
  expect(
    redactValue({
      password: "abc",
      token: "",
      n: 1,
      list: [null, true, { api_key: "tr0ub4dor&3" }],
      nothing: undefined,
    }),
  ).toEqual({
    password: "[redacted]",
    token: "",
    n: 1,
    list: [null, true, { api_key: "[redacted:DEPLOY_PASSWORD]" }],
    nothing: undefined,
  });
});

test("the redactor hides numbers and lists under a password's name, and no count, switch or short number", () => {
  expect(redactValue({ password: 471199, passwords: ["a", "", "b"], secrets: [1, 2], pass: 12, token: 4096 })).toEqual({
    password: "[redacted]",
    passwords: ["[redacted]", "", "[redacted]"],
    secrets: [1, 2],
    pass: 12,
    token: 4096,
  });
});

test("the redactor hides the argument of an option in a list, and secrets that a program takes by position", () => {
  expect(redactValue(["tool", "--password", "x", "--user", "ann"])).toEqual([
    "tool",
    "--password",
    "[redacted]",
    "--user",
    "ann",
  ]);
  expect(redactValue(["curl", "-u", "ann:hunter2", "https://x"])).toEqual([
    "curl",
    "-u",
    "ann:[redacted:password-option]",
    "https://x",
  ]);
  expect(redactValue(["--password", 7, "--token", "abcdefgh"])).toEqual(["--password", 7, "--token", "[redacted]"]);
  expect(redactValue(["--password", "--verbose", "--token", "$TOKEN", "--secret", ""])).toEqual([
    "--password",
    "--verbose",
    "--token",
    "$TOKEN",
    "--secret",
    "",
  ]);
});

test("the redactor hides the value of a pair whose name is a secret's, and no other part of the pair", () => {
  expect(redactValue({ name: "DB_PASSWORD", value: "hunter2", scope: "prod" })).toEqual({
    name: "DB_PASSWORD",
    value: "[redacted]",
    scope: "prod",
  });
  expect(redactValue({ Name: "/prod/db/password", Value: "hunter2" })).toEqual({
    Name: "/prod/db/password",
    Value: "[redacted]",
  });
  expect(redactValue({ name: "colour", value: "blue" })).toEqual({ name: "colour", value: "blue" });
  expect(redactValue({ name: "token", value: "" })).toEqual({ name: "token", value: "" });
});

test("the redactor hides everything in the data of a Kubernetes secret", () => {
  expect(
    redactValue({ kind: "Secret", metadata: { name: "x" }, data: { db: "aHVudGVyMg==" }, stringData: { n: 5 } }),
  ).toEqual({
    kind: "Secret",
    metadata: { name: "x" },
    data: { db: "[redacted]" },
    stringData: { n: "[redacted]" },
  });
  expect(redactValue({ kind: "ConfigMap", data: { colour: "blue" } })).toEqual({
    kind: "ConfigMap",
    data: { colour: "blue" },
  });
});

test("a short key of a weak name stays, and a long random one is hidden", () => {
  expect(redactValue({ key: "name", sig: "short", signature: "9f86d081884c7d659a2feaa0c55ad015" })).toEqual({
    key: "name",
    sig: "short",
    signature: "[redacted]",
  });
});

test("the redactor does not show values that are nested too deep to be looked at", () => {
  let value: unknown = "hunter2";
  for (let depth = 0; depth < 300; depth++) value = { inner: value };
  const text = JSON.stringify(redactValue(value));
  expect(text).toContain("[redacted:too-deep]");
  expect(text).not.toContain("hunter2");
});
