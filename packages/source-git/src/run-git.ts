import { execFile } from "node:child_process";
import { IkigaiError } from "@ikigai/core";

export interface GitCall {
  readonly input?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs one git command and gives what it printed. */
export type RunGit = (args: readonly string[], call?: GitCall) => Promise<Buffer>;

const MAX_OUTPUT = 512 * 1024 * 1024;

/** A repository's own configuration may name programs to run; nothing here needs one. */
const HARMLESS = [
  "--no-pager",
  "--no-optional-locks",
  "--literal-pathspecs",
  ...[
    "core.fsmonitor=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "i18n.logOutputEncoding=UTF-8",
  ].flatMap((setting) => ["-c", setting]),
];

/**
 * Git in `repository`, without a shell.
 *
 * Contract: reads only, asks nobody, reaches no network and hears none of the caller's `GIT_` variables. Rejects with
 * `unavailable`, `timeout` or `aborted`.
 */
export function createRunGit(repository: string, timeoutMs: number): RunGit {
  return (args, { input, signal } = {}) =>
    new Promise((resolve, reject) => {
      const options = {
        env: quietEnvironment(),
        encoding: "buffer",
        timeout: timeoutMs,
        maxBuffer: MAX_OUTPUT,
        windowsHide: true,
        ...(signal !== undefined && { signal }),
      } as const;
      const child = execFile("git", ["-C", repository, ...HARMLESS, ...args], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(explain(error, stderr.toString().trim(), { repository, timeoutMs, command: args[0] ?? "" }));
      });
      child.stdin?.on("error", () => {}); // Git ended early, and its exit says why.
      child.stdin?.end(input ?? "");
    });
}

function quietEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    LC_ALL: "C",
  };
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
    return new IkigaiError("timeout", `git ${command} did not finish within ${timeoutMs} ms`, { cause: error });
  }
  return new IkigaiError("unavailable", `git ${command} failed in ${repository}: ${said || error.message}`, {
    hint: "Check that the repository and the ref of this mount exist.",
    cause: error,
  });
}
