import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keyVariable } from "@ikigai/agent";
import { IkigaiError, messageOf } from "@ikigai/core";
import { CONFIG_FILE } from "../config.ts";
import { openCredentials } from "../credentials.ts";
import type { Settings } from "../settings.ts";
import type { Terminal } from "../terminal.ts";
import { providerOf } from "./choose-model.ts";

const SUGGESTED: Readonly<Record<string, string>> = {
  "1": "anthropic/claude-sonnet-4-5",
  "2": "openai/gpt-5",
};
const LOCAL_URL = "http://127.0.0.1:11434/v1";

/**
 * Asks for a model and its key, and keeps both for the user.
 *
 * Contract: gives what was chosen; absent when the person left, and nothing is kept then. What is wrong is told.
 */
export async function setModel(
  settings: Settings,
  terminal: Terminal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Pick<Settings, "model" | "baseUrl"> | undefined> {
  const keys = { "1": "Anthropic", "2": "OpenAI", "3": "a server of your own (Ollama, LM Studio, vLLM)", q: "back" };
  const key = await terminal.choose({ question: "Whose model?", keys });
  if (key === undefined || key === "q") return undefined;
  try {
    return key === "3"
      ? await setServed(settings, terminal)
      : await setHosted(settings, terminal, SUGGESTED[key] ?? "", env);
  } catch (error) {
    const hint = IkigaiError.is(error) ? error.hint : undefined;
    terminal.complain(hint === undefined ? messageOf(error) : `${messageOf(error)}. ${hint}`);
    return undefined;
  }
}

async function setHosted(
  settings: Settings,
  terminal: Terminal,
  suggested: string,
  env: NodeJS.ProcessEnv,
): Promise<Pick<Settings, "model"> | undefined> {
  const provider = providerOf(suggested);
  const given = (await terminal.ask(`Model (Enter for ${suggested}): `)).trim();
  const model = given === "" ? suggested : given.includes("/") ? given : `${provider}/${given}`;
  const credentials = openCredentials(settings.configDirectory);
  if (!env[keyVariable(provider)] && (await credentials.key(provider)) === undefined) {
    const ask = terminal.askSecret ?? terminal.ask;
    const secret = (await ask(`Key for ${provider} (not shown, Enter to leave): `)).trim();
    if (secret === "") return undefined;
    if (/\s/.test(secret)) throw new IkigaiError("invalid_input", "A key is one word without spaces; nothing was kept");
    await credentials.keep(provider, secret);
    terminal.note(`Kept the key in ${credentials.path}, which only you can read.`);
  }
  await keepModel(settings, terminal, { model });
  return { model };
}

async function setServed(
  settings: Settings,
  terminal: Terminal,
): Promise<Pick<Settings, "model" | "baseUrl"> | undefined> {
  const url = (await terminal.ask(`Its address (Enter for ${LOCAL_URL}): `)).trim() || LOCAL_URL;
  if (!URL.canParse(url)) throw new IkigaiError("invalid_input", `${JSON.stringify(url)} is no address`);
  const name = (await terminal.ask("The model's name there, such as llama3 (Enter to leave): ")).trim();
  if (name === "") return undefined;
  const model = name.includes("/") ? name : `local/${name}`;
  await keepModel(settings, terminal, { model, base_url: url });
  return { model, baseUrl: url };
}

/** Contract: other fields of the user's configuration stay as they are; a file that is not JSON is left alone and told. */
async function keepModel(
  { configDirectory }: Settings,
  terminal: Terminal,
  chosen: { readonly model: string; readonly base_url?: string },
): Promise<void> {
  const file = join(configDirectory, CONFIG_FILE);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const { base_url: _, ...present } = JSON.parse(text) as Record<string, unknown>;
  await mkdir(configDirectory, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify({ ...present, ...chosen }, undefined, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
  terminal.note(`Kept ${chosen.model} in ${file}.`);
}
