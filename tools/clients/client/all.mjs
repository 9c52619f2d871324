import { claudeCode } from "./claude-code.mjs";
import { codex } from "./codex.mjs";
import { geminiCli } from "./gemini-cli.mjs";
import { inspectors } from "./inspector.mjs";
import { libraries } from "./libraries.mjs";
import { opencode } from "./opencode.mjs";
import { pi } from "./pi.mjs";

/** The clients of the laboratory, in the order in which they are tried. */
export const all = [claudeCode, codex, opencode, geminiCli, pi, ...inspectors, ...libraries];
