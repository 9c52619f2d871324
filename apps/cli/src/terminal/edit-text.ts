import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { findProgram } from "@ikigai/core/process";
import { commandWords } from "@ikigai/memory";

/** What a person made of a text. */
export interface EditedText {
  readonly text: string;
  /** Where it lies until it is discarded, so that it is not lost when it cannot be stored. */
  readonly file: string;
  discard(): Promise<void>;
}

/**
 * Lets a person change a text in the editor of `VISUAL` or `EDITOR`.
 *
 * Contract: the editor is started by its name and arguments, never through a shell, and gets the text as a file that
 * only its user can read. It is one that the user installed, never one of the current folder. `aborted` when the editor
 * ends with an error; `invalid_input` when none is set; `unavailable` when there is no such program.
 */
export async function editText(name: string, text: string, env: NodeJS.ProcessEnv = process.env): Promise<EditedText> {
  const [program, ...args] = commandWords(env["VISUAL"] || env["EDITOR"] || "");
  if (program === undefined) {
    throw new IkigaiError("invalid_input", "No editor is set", {
      hint: "Set VISUAL or EDITOR, or pass the new text with --text.",
    });
  }
  const editor = isAbsolute(program) ? program : programOf(program, env);
  const folder = await mkdtemp(join(tmpdir(), "ikigai-edit-"));
  const file = join(folder, basename(name) || "text");
  const discard = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    await runEditor(editor, [...args, file], env);
    return { text: await readFile(file, "utf8"), file, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

function programOf(name: string, env: NodeJS.ProcessEnv): string {
  const found = name.includes("/") ? undefined : findProgram(name, { path: env["PATH"] ?? "" });
  if (found !== undefined) return found;
  throw new IkigaiError("unavailable", `The editor ${name} cannot be started`, {
    hint: "Set VISUAL or EDITOR to a program that is installed outside this folder, by its name or its absolute path.",
  });
}

/** While it runs, Ctrl-C is the editor's. */
async function runEditor(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const ignore = (): void => {};
  process.on("SIGINT", ignore);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      const editor = spawn(program, args, { stdio: "inherit", env });
      editor.on("error", reject);
      editor.on("close", resolve);
    });
    if (code === 0) return;
    throw new IkigaiError("aborted", `${program} ended with ${code === null ? "a signal" : `code ${code}`}`, {
      hint: "Nothing was changed.",
    });
  } catch (cause) {
    if (IkigaiError.is(cause)) throw cause;
    throw new IkigaiError("unavailable", `The editor ${program} cannot be started`, {
      hint: "Set VISUAL or EDITOR to a program that is installed.",
      cause,
    });
  } finally {
    process.removeListener("SIGINT", ignore);
  }
}
