import { type AddCommand, examples } from "../command-line.ts";
import { type GlobalFlags, resolveSettings } from "../settings.ts";

export const addDoctor: AddCommand = (program, _, { openTerminal, setExitCode }) => {
  program
    .command("doctor")
    .description("check node, store, configuration, model, sources and terminal, and say what to do")
    .option("--online", "also ask the model for one word")
    .action(async ({ online = false }: { online?: boolean }) => {
      const settings = resolveSettings(program.opts<GlobalFlags>());
      const terminal = openTerminal(settings.quiet);
      const { examine } = await import("../doctor/examine.ts");
      const findings = await examine(settings, terminal, online);
      if (settings.json) terminal.print(JSON.stringify(findings));
      else
        for (const { state, what, finding, advice } of findings) {
          terminal.print(`${state.padEnd(4)}  ${what}: ${finding}${advice === undefined ? "" : `\n      ${advice}`}`);
        }
      setExitCode(findings.some(({ state }) => state === "fail") ? 1 : 0);
    })
    .addHelpText("after", examples("ikigai doctor", "ikigai doctor --online", "ikigai doctor --json"));
};
