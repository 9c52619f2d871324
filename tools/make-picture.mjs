// Draws docs/demo.svg from what `ikigai demo` really prints: a scripted model, real tools and a real store.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const WIDTH = 104;
const LINE = 19;

const home = mkdtempSync(join(tmpdir(), "ikigai-picture-"));
const printed = execFileSync(process.execPath, [join(root, "apps/cli/bin/ikigai.js"), "demo"], {
  cwd: home,
  env: { ...process.env, HOME: home, NO_COLOR: "1" },
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
rmSync(home, { recursive: true, force: true });

// What a call began and what it read is left out, and how long it took: the picture shows the story.
const shown = printed
  .trimEnd()
  .split("\n")
  .filter((line) => line !== "" && !/^(… | {2}[│└] (Rule|\{|\d)|A scripted model)/.test(line))
  .map((line) => line.replace(/ \d+ ms$/, ""))
  .map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line));
const lines = ["$ ikigai demo", ...shown];

const colour = (line) =>
  line.startsWith("✓")
    ? "#3fb950"
    : /^✗|over_budget/.test(line)
      ? "#ff7b72"
      : /^[>$]/.test(line)
        ? "#79c0ff"
        : "#c9d1d9";
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const text = lines.map(
  (line, at) =>
    `  <text x="20" y="${44 + at * LINE}" fill="${colour(line)}" xml:space="preserve">${escape(line)}</text>`,
);
const height = 44 + lines.length * LINE;
writeFileSync(
  join(root, "docs/demo.svg"),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.5">
  <title>ikigai demo: a model runs into the budget and makes room</title>
  <rect width="880" height="${height}" rx="10" fill="#0d1117"/>
  <circle cx="20" cy="18" r="5" fill="#ff5f57"/><circle cx="38" cy="18" r="5" fill="#febc2e"/><circle cx="56" cy="18" r="5" fill="#28c840"/>
${text.join("\n")}
</svg>
`,
);
