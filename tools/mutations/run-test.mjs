// Runs one test file of a patched copy, or some of its tests.
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const WITHIN_MS = 420_000;
/** A slow machine is no failure. */
const TEST_MS = 120_000;

/**
 * The tests of `file` that ran in `folder`, with their full titles.
 *
 * Contract: a file that cannot be loaded, or that does not end, counts as no test. With `titles` only tests that hold one of
 * them run; with `isUntilFirst` the run ends at the first failure.
 */
export async function runTest(folder, file, { titles, isUntilFirst = false, env }) {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const config = file.endsWith(".faults.test.ts")
    ? ["-c", "vitest.faults.config.ts"]
    : projectsOf(file).flatMap((name) => ["--project", name]);
  const limits = [`--testTimeout=${TEST_MS}`, `--hookTimeout=${TEST_MS}`, "--maxWorkers=1"];
  const args = ["run", ...config, file, "--reporter=json", `--outputFile=${report}`, ...limits];
  if (titles !== undefined) args.push("-t", titles.map(toPattern).join("|"));
  if (isUntilFirst) args.push("--bail=1");
  await run("vitest", args, folder, env);
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    return tests
      .filter(({ status }) => status === "passed" || status === "failed")
      .map(({ fullName, status }) => ({ title: fullName, isPassed: status === "passed" }));
  } catch {
    return [];
  }
}

/** The groups of `vitest.config.ts` that may hold a file. Those of packages are two. */
function projectsOf(file) {
  const [group = ""] = file.split("/");
  return group === "packages" ? ["packages", "measured"] : [group];
}

const running = new Set();

/** Ends with the program, whatever it says. */
export async function run(program, args, cwd, env) {
  const child = spawn(program, args, { cwd, env, stdio: "ignore", timeout: WITHIN_MS });
  running.add(child);
  await new Promise((resolve) => {
    child.on("error", resolve);
    child.on("exit", resolve);
  });
  running.delete(child);
}

/** Ends what still runs, as when the whole is interrupted. */
export function stopRunning() {
  for (const child of running) child.kill("SIGKILL");
}

/** What a title matches in a full title. Contract: %s and $what stand for anything, and | for one title or another. */
export function toPattern(title) {
  const alternatives = title.split("|").map((part) =>
    part
      .split(/%[sijdfo]|\$\w+/)
      .map((text) => text.replaceAll(/[.*+?^${}()[\]\\]/g, "\\$&"))
      .join(".*"),
  );
  return alternatives.join("|");
}
