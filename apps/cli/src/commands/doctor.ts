import { type AddCommand, examples } from "../command-line.ts";
import type { Finding } from "@ikigai/host/health";
import { escapeText } from "@ikigai/terminal";
import { placeOf, voiceOf } from "../terminal/terminal-host.ts";
import { type GlobalFlags, resolveSettings } from "../settings.ts";

export const addDoctor: AddCommand = (program, _, { openTerminal, setExitCode }) => {
  program
    .command("doctor")
    .description("check node, store, configuration, model, sources and terminal, and say what to do")
    .option("--online", "also ask the model for one word")
    .action(async ({ online = false }: { online?: boolean }) => {
      const settings = resolveSettings(program.opts<GlobalFlags>());
      const terminal = openTerminal(settings.quiet);
      const [{ examine }, { examineTerminal }] = await Promise.all([
        import("@ikigai/host/health"),
        import("../doctor/examine-terminal.ts"),
      ]);
      const { model, baseUrl } = settings;
      const quiet = { ...placeOf(settings), ...voiceOf({ ...terminal, interactive: false }) };
      const found = await examine(quiet, { online, ...(model && { model }), ...(baseUrl && { baseUrl }) });
      const findings = [...found, examineTerminal(process.env, process.stdout)].map(safe);
      if (settings.json) terminal.print(JSON.stringify(findings));
      else
        for (const { state, what, finding, advice } of findings) {
          terminal.print(`${state.padEnd(4)}  ${what}: ${finding}${advice === undefined ? "" : `\n      ${advice}`}`);
        }
      setExitCode(findings.some(({ state }) => state === "fail") ? 1 : 0);
    })
    .addHelpText("after", examples("ikigai doctor", "ikigai doctor --online", "ikigai doctor --json"));
};

/** A finding without what could steer the terminal. */
function safe({ finding, advice, ...one }: Finding): Finding {
  return { ...one, finding: escapeText(finding), ...(advice !== undefined && { advice: escapeText(advice) }) };
}
