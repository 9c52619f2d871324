import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { gitEnvironment, HARMLESS_GIT, requireProgram, trustedPath } from "@ikigai/core/process";

export interface GitCall {
  readonly input?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs one git command and gives what it printed. */
export type RunGit = (args: readonly string[], call?: GitCall) => Promise<Buffer>;

const MAX_OUTPUT = 512 * 1024 * 1024;

const OPTIONS = ["--no-pager", "--no-optional-locks", "--literal-pathspecs"];
const SETTINGS = { ...HARMLESS_GIT, "i18n.logOutputEncoding": "UTF-8" };
/** What git needs to find its own configuration and its temporary files. */
const PASSED = ["HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "TMPDIR"];

/**
 * Git in `repository`, without a shell.
 *
 * Contract: reads only, asks nobody, reaches no network, gets a listed environment and runs nothing that the repository
 * names. The program is never one of the repository or of the current folder. Rejects with `unavailable`, `timeout` or
 * `aborted`.
 */
export function createRunGit(repository: string, timeoutMs: number): RunGit {
  return async (args, { input, signal } = {}) => {
    const program = requireProgram("git", { outside: [resolve(repository)] });
    return new Promise((settle, reject) => {
      const options = {
        env: listedEnvironment(repository),
        encoding: "buffer",
        timeout: timeoutMs,
        maxBuffer: MAX_OUTPUT,
        windowsHide: true,
        ...(signal !== undefined && { signal }),
      } as const;
      const child = execFile(program, ["-C", repository, ...OPTIONS, ...args], options, (error, stdout, stderr) => {
        if (error === null) settle(stdout);
        else reject(explain(error, stderr.toString().trim(), { repository, timeoutMs, command: args[0] ?? "" }));
      });
      child.stdin?.on("error", () => {}); // Git ended early, and its exit says why.
      child.stdin?.end(input ?? "");
    });
  };
}

function listedEnvironment(repository: string): NodeJS.ProcessEnv {
  const passed = PASSED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return {
    ...(Object.fromEntries(passed) as Record<string, string>),
    PATH: trustedPath({ outside: [resolve(repository)] }),
    ...gitEnvironment(SETTINGS),
    GIT_NO_REPLACE_OBJECTS: "1",
    LC_ALL: "C",
    // Found by itself, a bare repository is refused: any folder can be made to look like one. One that is named is meant.
    ...(isBare(repository) && { GIT_DIR: resolve(repository) }),
  };
}

function isBare(repository: string): boolean {
  return (
    !existsSync(join(repository, ".git")) &&
    existsSync(join(repository, "HEAD")) &&
    existsSync(join(repository, "objects"))
  );
}

function explain(
  error: Error & { code?: unknown; killed?: boolean },
  said: string,
  { repository, timeoutMs, command }: { repository: string; timeoutMs: number; command: string },
): IkigaiError {
  if (error.name === "AbortError") return new IkigaiError("aborted", "The call was aborted", { cause: error });
  if (error.code === "ENOENT") {
    return new IkigaiError("unavailable", "The program git was not found", {
      hint: "Install git and make sure that it is on the PATH.",
      cause: error,
    });
  }
  if (error.killed === true) {
    return new IkigaiError("timeout", `git ${command} did not finish within ${timeoutMs} ms`, {
      hint: "Try again, or ask for a smaller part of the repository.",
      cause: error,
    });
  }
  return new IkigaiError("unavailable", `git ${command} failed in ${repository}: ${said || error.message}`, {
    hint: "Check that the repository and the ref of this mount exist.",
    cause: error,
  });
}
