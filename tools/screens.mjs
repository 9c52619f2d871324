// Takes the screens of the conversation from the built program in a pseudo-terminal, and puts them into README.md.
// The model is scripted and goes by the results that it gets. `--check` only says whether the page is up to date.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openPty } from "../apps/cli/dist/screen/testing/open-pty.js";
import { startMockProvider } from "../packages/agent/dist/testing/index.js";
import { stopKeeper } from "../packages/database/dist/index.js";

const PAGE = fileURLToPath(new URL("../README.md", import.meta.url));
const lines = (count, line) => Array.from({ length: count }, (_, at) => `${line} (${at + 1})\n`).join("");
const call = (name, input) => ({ calls: [{ name, input }] });
const write = call("file_write", { path: "ikigai:///blocks/style.md", content: lines(20, "- Short sentences") });
const slash = (command) => call("slash_command", { command });

/** What the model does for each question, one step after each result. */
const STEPS = {
  keep: [
    call("file_write", {
      path: "ikigai:///blocks/decisions.md",
      content: lines(10, "- We use tabs, and ports begin at 3000"),
    }),
    slash("/pin decisions"),
  ],
  port: [
    { text: "I look at it first.", ...call("file_read", { path: "src/main.ts" }) },
    call("file_edit", { path: "src/main.ts", old: "8080", new: "3000" }),
  ],
  style: [write, slash("/compact decisions"), write, slash("/pin style")],
};

function reply({ turns, tools }) {
  if (tools.length === 0) return { text: "- We use tabs, and ports begin at 3000" };
  const asked = turns.findLastIndex(({ role }) => role === "user");
  const steps = STEPS[Object.keys(STEPS).find((word) => turns[asked].text.includes(word))];
  const results = turns.slice(asked).filter(({ role }) => role === "result");
  return steps[results.length] ?? { text: results.at(-1).text.includes('"success":true') ? "Done." : "That failed." };
}

const base = mkdtempSync(join(tmpdir(), "ikigai-screens-"));
const provider = await startMockProvider(reply);
try {
  for (const folder of ["root/src", "config/ikigai"]) mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(base, "root/src/main.ts"), "export const port = 8080;\n");
  writeFileSync(join(base, "root/src/mailer.ts"), "");
  writeFileSync(join(base, "config/ikigai/ikigai.config.json"), JSON.stringify({ budget: 200 }));
  const screens = await take();
  let page = readFileSync(PAGE, "utf8");
  const before = page;
  for (const [name, text] of Object.entries(screens)) {
    const marked = new RegExp(`(<!-- screen: ${name} -->\\n+\`\`\`\n)[^]*?(\`\`\`)`);
    if (!marked.test(page)) throw new Error(`README.md has no place for the screen "${name}"`);
    page = page.replace(marked, (_, start, end) => `${start}${text}\n${end}`);
  }
  if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
  else if (timeless(page) !== timeless(before))
    throw new Error("README.md shows other screens: node tools/screens.mjs");
} finally {
  await provider[Symbol.asyncDispose]();
  await stopKeeper(join(base, "store", "postgres"));
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
}

async function take() {
  await converse(["--approve", "edits"], async (pty) => {
    pty.type("keep our decisions\r");
    await pty.see(/Done\.[^]*pinned 1\d\d\/200/);
  });
  const screens = await converse(["--continue"], async (pty, from) => {
    pty.type("set the port to 3000 in @mai");
    await pty.see(/mailer\.ts/);
    const finder = from("> set the port");
    pty.type("\t\r");
    await pty.see(/port = 3000[^]*Allow it\?/);
    const approval = from("> set the port");
    pty.type("y");
    await pty.see(/✓ file_edit[^]*Done\.\n>/);
    return { finder, approval, status: from("✓ file_edit") };
  });
  const budget = await converse(["--continue", "--approve", "edits"], async (pty, from) => {
    pty.type("add the style of our texts\r");
    await pty.see(/→ \d+ tokens\)\?[^]*Agreed\?/);
    pty.type("y");
    await pty.see(/✓ slash_command \/pin style[^]*Done\.\n>\n.*pinned 132\/200/);
    return from("> add the style");
  });
  return { ...screens, budget };
}

async function converse(args, use) {
  const place = ["--root", join(base, "root"), "--store", join(base, "store")];
  const model = ["--model", "local/scripted", "--base-url", provider.openAiUrl];
  const env = { XDG_CONFIG_HOME: join(base, "config"), NO_COLOR: "1" };
  const pty = openPty([...place, ...model, ...args], { env, columns: 96 });
  // From the last line that begins so, without what only turns.
  const from = (text) =>
    pty
      .screen()
      .slice(pty.screen().lastIndexOf(text))
      .replaceAll(/^[⠋-⠿].*\n/gm, "")
      .trimEnd();
  try {
    await pty.see(/pinned \d+\/200/);
    return await use(pty, from);
  } finally {
    await pty[Symbol.asyncDispose]();
  }
}

/** Without what differs each time. */
function timeless(text) {
  return text.replaceAll(/\d+(\.\d+)? m?s\b/g, "0 ms");
}
