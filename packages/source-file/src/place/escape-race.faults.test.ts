import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { IkigaiError } from "@ikigai/core";
import { expect, test } from "vitest";
import { openFileSource } from "../open-file-source.ts";

const SECONDS = 15;
const LISTING = ["secret", "victim"];

test(`${SECONDS} s of a folder and a link being exchanged: no operation leaves the root`, async () => {
  const base = mkdtempSync(`${tmpdir()}/source-file-escape-`);
  const [root, outside] = [`${base}/root`, `${base}/outside`];
  mkdirSync(`${root}/door`, { recursive: true });
  mkdirSync(outside);
  for (const name of ["secret", "victim"]) {
    writeFileSync(`${root}/door/${name}`, "inside");
    writeFileSync(`${outside}/${name}`, "OUTSIDE");
  }
  symlinkSync("../outside", `${root}/trap`);
  const source = await openFileSource({ root }, { warn: () => {} });
  const script = fileURLToPath(new URL("../../fixtures/exchange.pl", import.meta.url));
  const swapper = spawn("perl", [script, root, process.arch === "x64" ? "316" : "276"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const swapped = once(swapper, "exit");
  let exchanges = "";
  swapper.stdout.on("data", (chunk: Buffer) => (exchanges += chunk.toString()));

  const tries: Record<string, number> = {};
  const answers: Record<string, number> = {};
  let escapes = 0;
  const attempt = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    tries[name] = (tries[name] ?? 0) + 1;
    const answer = await work().then(
      (value) => JSON.stringify(value) ?? "nothing",
      (error: unknown) => {
        if (!IkigaiError.is(error)) throw error;
        return error.code;
      },
    );
    if (answer.includes("OUTSIDE")) escapes++;
    const kind = answer.length > 40 ? "text" : answer;
    answers[`${name} ${kind}`] = (answers[`${name} ${kind}`] ?? 0) + 1;
  };
  const untouched = (): boolean =>
    readdirSync(outside).toSorted().join() === LISTING.join() &&
    LISTING.every((name) => readFileSync(`${outside}/${name}`, "utf8") === "OUTSIDE");

  const until = Date.now() + SECONDS * 1000;
  for (let round = 0; Date.now() < until; round++) {
    await Promise.all([
      attempt("read", () => source.read("door/secret")),
      attempt("read through a name below", () => source.read("door/deeper/secret")),
      attempt("write", () => source.write("door/victim", `inside ${round}`)),
      attempt("create", () => source.write(`door/new-${round % 7}`, "new", { expected: null })),
      attempt("create in a new folder", () => source.write(`door/folder-${round % 7}/new`, "new")),
      attempt("remove", () => source.remove(`door/new-${(round + 3) % 7}`)),
      attempt("remove the victim", () => source.remove("door/victim")),
      attempt("list", async () => {
        const sizes: unknown[] = [];
        for await (const entry of source.list("door/")) sizes.push(entry.path, entry.bytes === 7 ? "OUTSIDE" : "");
        return sizes;
      }),
    ]);
    if (!untouched()) escapes++;
  }
  swapper.stdin.end();
  expect(await swapped).toEqual([0, null]);
  await source.close?.();
  const total = Object.values(tries).reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `${total} tries, ${exchanges.trim()} exchanges, ${escapes} escapes\n${JSON.stringify(answers)}\n`,
  );
  expect(escapes).toBe(0);
  expect(total).toBeGreaterThanOrEqual(5_000);
  rmSync(base, { recursive: true });
});
