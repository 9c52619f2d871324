import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("the example of the README runs", () => {
  const folder = fileURLToPath(new URL("..", import.meta.url));
  const [, example = ""] = /```ts\n(.*?)```/s.exec(readFileSync(`${folder}README.md`, "utf8")) ?? [];
  const code = example.replace(
    /^await catalog\.call.*$/m,
    (line) => `console.log(JSON.stringify(${line.split(";")[0]}));`,
  );
  const stdout = execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: folder, encoding: "utf8" });
  expect(stdout).toBe('{"success":true,"data":{"text":null}}\n');
});
