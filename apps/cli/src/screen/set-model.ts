import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { keyVariable } from "@ikigai/agent";
import { IkigaiError, messageOf } from "@ikigai/core";
import { readSmallFile } from "@ikigai/permission";
import { CONFIG_FILE, openCredentials } from "@ikigai/host/configuration";
import type { Settings } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { providerOf } from "@ikigai/host/agent";

const SUGGESTED: Readonly<Record<string, string>> = {
  "1": "anthropic/claude-sonnet-4-5",
  "2": "openai/gpt-5",
};
const OWN_SERVERS = /^(local|ollama|lmstudio|vllm)\//;
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
  const given = (await terminal.ask(`Model (Enter for ${suggested}): `)).trim();
  const model = given === "" ? suggested : given.includes("/") ? given : `${providerOf(suggested)}/${given}`;
  const provider = providerOf(model);
  const file = await readConfig(settings);
  const credentials = openCredentials(settings.configDirectory);
  if (!env[keyVariable(provider)] && (await credentials.key(provider)) === undefined) {
    const ask = terminal.askSecret ?? terminal.ask;
    const secret = (await ask(`Key for ${provider} (not shown, Enter to leave): `)).trim();
    if (secret === "") return undefined;
    if (/\s/.test(secret))
      throw new IkigaiError("invalid_input", "A key is one word without spaces; nothing was kept", {
        hint: "Paste the key alone.",
      });
    await credentials.keep(provider, secret);
    terminal.note(`Kept the key in ${credentials.path}, which only you can read.`);
  }
  await keepModel(file, terminal, { model });
  return { model };
}

async function setServed(
  settings: Settings,
  terminal: Terminal,
): Promise<Pick<Settings, "model" | "baseUrl"> | undefined> {
  const url = (await terminal.ask(`Its address (Enter for ${LOCAL_URL}): `)).trim() || LOCAL_URL;
  if (!URL.canParse(url)) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(url)} is no address`, {
      hint: `Write it as ${LOCAL_URL}.`,
    });
  }
  const name = (await terminal.ask("The model's name there, such as llama3 (Enter to leave): ")).trim();
  if (name === "") return undefined;
  // A name there may have a slash of its own; what stands before it is ours only where it names no model.
  const model = OWN_SERVERS.test(name) ? name : `local/${name}`;
  await keepModel(await readConfig(settings), terminal, { model, base_url: url });
  return { model, baseUrl: url };
}

interface ConfigFile {
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The user's configuration as it is. Contract: what is no JSON object is left alone and told, before anything is kept. */
async function readConfig({ configDirectory }: Settings): Promise<ConfigFile> {
  const path = join(configDirectory, CONFIG_FILE);
  const text = (await readSmallFile(path))?.bytes.toString("utf8") ?? "{}";
  const fields = parsed(text);
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
    throw new IkigaiError("invalid_input", `${path} is not a JSON object, so nothing was kept`, {
      hint: "Mend the file, or move it away, and try again.",
    });
  }
  return { path, fields: { ...fields } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Contract: other fields of the user's configuration stay as they are. */
async function keepModel(
  { path, fields }: ConfigFile,
  terminal: Terminal,
  chosen: { readonly model: string; readonly base_url?: string },
): Promise<void> {
  const { base_url: _, ...present } = fields;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify({ ...present, ...chosen }, undefined, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
  terminal.note(`Kept ${chosen.model} in ${path}.`);
}
