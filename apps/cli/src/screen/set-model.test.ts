import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Settings } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { setModel } from "./set-model.ts";

let configDirectory = "";
beforeEach(async () => {
  configDirectory = join(await mkdtemp(join(tmpdir(), "ikigai-set-model-")), "ikigai");
  await mkdir(configDirectory);
});
afterEach(() => rm(join(configDirectory, ".."), { recursive: true, force: true }));

/** Sets a model as a person who gives these answers would. */
async function setWith(key: string, ...answers: string[]): Promise<{ chosen: unknown; said: string }> {
  const said: string[] = [];
  const terminal = {
    choose: async () => key,
    ask: async () => answers.shift() ?? "",
    note: (line: string) => void said.push(line),
    complain: (line: string) => void said.push(line),
  };
  const settings = { configDirectory } as Settings;
  const chosen = await setModel(settings, terminal as Partial<Terminal> as Terminal, {});
  return { chosen, said: said.join("\n") };
}

const kept = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(configDirectory, name), "utf8"));

test("a model of a server of one's own keeps the whole of its name there", async () => {
  const { chosen } = await setWith("3", "http://127.0.0.1:8000/v1", "meta-llama/Llama-3.1-8B");
  expect(chosen).toEqual({ model: "local/meta-llama/Llama-3.1-8B", baseUrl: "http://127.0.0.1:8000/v1" });
  expect(await setWith("3", "", "ollama/llama3")).toMatchObject({ chosen: { model: "ollama/llama3" } });
});

test("a model of another provider than the one chosen asks for that provider's key", async () => {
  expect((await setWith("1", "openai/gpt-5", "sk-test")).chosen).toEqual({ model: "openai/gpt-5" });
  expect(await kept("credentials.json")).toEqual({ openai: "sk-test" });
});

test.each(["{broken", "[]", "null"])(
  "a configuration that is %s is left alone and named, and no key is kept",
  async (text) => {
    const file = join(configDirectory, "ikigai.config.json");
    await writeFile(file, text);
    const { chosen, said } = await setWith("1", "", "sk-test");
    expect(chosen).toBeUndefined();
    expect(said).toContain(`${file} is not a JSON object`);
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await readdir(configDirectory)).toEqual(["ikigai.config.json"]);
  },
);

test("other fields of the configuration stay, and a base URL of the model before does not", async () => {
  await writeFile(join(configDirectory, "ikigai.config.json"), JSON.stringify({ budget: 7, base_url: "http://x" }));
  await setWith("2", "", "sk-test");
  expect(await kept("ikigai.config.json")).toEqual({ budget: 7, model: "openai/gpt-5" });
});
