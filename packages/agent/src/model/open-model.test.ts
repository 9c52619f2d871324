import { APICallError } from "@ai-sdk/provider";
import { IkigaiError } from "@ikigai/core";
import { expect, test } from "vitest";
import { keyVariable, openModel } from "./open-model.ts";
import { diagnose, retryAfter } from "./provider-errors.ts";

test.each(["gpt", "/x", "openai/", "Open AI/x", ""])("%j does not name a model", async (model) => {
  await expect(openModel({ model, apiKey: "k" })).rejects.toMatchObject({ code: "invalid_input" });
});

test("a missing key names the variable to set", async () => {
  await expect(openModel({ model: "openai/x" })).rejects.toMatchObject({
    hint: expect.stringContaining("OPENAI_API_KEY"),
  });
  await expect(openModel({ model: "anthropic/x", apiKey: "" })).rejects.toMatchObject({ code: "permission_denied" });
  expect(keyVariable("x-ai.2")).toBe("X_AI_2_API_KEY");
});

test("further providers come from their package, and one that is missing says what to install", async () => {
  const seen: unknown[] = [];
  const model = await openModel({
    model: "acme/big/one",
    apiKey: "k",
    load: async (name) => {
      seen.push(name);
      return { VERSION: "1", createAcme: (options: object) => (id: string) => ({ options, id }) };
    },
  });
  expect(model).toEqual({ options: { apiKey: "k" }, id: "big/one" });
  expect(seen).toEqual(["@ai-sdk/acme"]);
  await expect(openModel({ model: "acme/x", load: async () => ({}) })).rejects.toMatchObject({ code: "unsupported" });
  await expect(openModel({ model: "groq/x" })).rejects.toMatchObject({
    code: "unavailable",
    hint: expect.stringContaining("npm install @ai-sdk/groq"),
  });
  const broken = { model: "groq/x", load: () => Promise.reject(new Error("bad syntax")) };
  await expect(openModel(broken)).rejects.toThrow("@ai-sdk/groq cannot be loaded: bad syntax");
});

test.each(["local", "ollama", "no-such-provider"])("no package is made up for %s", async (provider) => {
  const failed = await openModel({ model: `${provider}/x` }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: "unavailable", message: `"${provider}" is no provider that is known here` });
  expect((failed as { hint: string }).hint).toContain("--base-url URL");
  expect((failed as { hint: string }).hint).not.toContain("npm install");
});

test("a package that its loader does not find is not installed, and none is made up for an unknown provider", async () => {
  const load = (name: string): Promise<never> => Promise.reject(new IkigaiError("not_found", `${name} is nowhere`));
  await expect(openModel({ model: "groq/x", load })).rejects.toMatchObject({
    message: "The provider groq needs the package @ai-sdk/groq, which is not installed",
  });
  await expect(openModel({ model: "nope/x", load })).rejects.toMatchObject({
    message: '"nope" is no provider that is known here',
  });
});

test("waits are read from seconds, milliseconds and dates", () => {
  const now = new Date(0);
  expect(retryAfter({ "retry-after-ms": "250", "retry-after": "9" }, now)).toBe(250);
  expect(retryAfter({ "retry-after-ms": "x", "retry-after": "9" }, now)).toBe(9_000);
  expect(retryAfter({ "retry-after": "-3" }, now)).toBe(0);
  expect(retryAfter({ "retry-after": new Date(5_000).toUTCString() }, now)).toBe(5_000);
  expect(retryAfter({}, now)).toBeUndefined();
});

test("an error of the provider that is no fault of the network is not tried again", () => {
  expect(diagnose("a string", new Date())).toMatchObject({ retry: false });
  expect(diagnose(new Error("odd"), new Date())).toMatchObject({ retry: false, error: { code: "unavailable" } });
  expect(
    diagnose(new Error("wrapped", { cause: Object.assign(new Error(), { code: "ECONNRESET" }) }), new Date()).retry,
  ).toBe(true);
});

test.each([
  ["a string", '{"error":"model \'x\' not found, try pulling it"}', "model 'x' not found, try pulling it"],
  ["an object", '{"error":{"message":"no such\\nmodel"}}', "no such model"],
  ["a detail", '{"detail":"not here"}', "not here"],
  ["plain text", "404 page not found", "404 page not found"],
  ["a page of HTML", "<html><body>Not found</body></html>", "Not Found"],
  ["nothing", "", "Not Found"],
])("the words of a provider are told when they come as %s", (_, responseBody, words) => {
  const thrown = new APICallError({
    message: "Not Found",
    url: "http://127.0.0.1/v1",
    requestBodyValues: {},
    statusCode: 404,
    responseBody,
  });
  expect(diagnose(thrown, new Date()).error.message).toBe(`The provider does not know the model (404): ${words}`);
});
