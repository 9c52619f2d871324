import { InvalidArgumentError } from "commander";
import { type AddCommand, examples, type TaskFlags, toResume } from "../command-line.ts";
import { type GlobalFlags, resolveSettings } from "../settings.ts";

interface RunFlags {
  readonly maxTurns?: number;
}

export const addRun: AddCommand = (program, _, { openTerminal, setExitCode }) => {
  program
    .command("run")
    .description("let the agent do one task and print its answer; standard input is context")
    .argument("[task...]", "what to do; @path and @@asset bring in text; absent: standard input says it")
    .option("--max-turns <count>", "requests to the model at most (default: 50)", positive)
    .action(async (task: readonly string[], { maxTurns }: RunFlags) => {
      const flags = program.opts<GlobalFlags & TaskFlags>();
      const settings = resolveSettings(flags);
      const { runTask } = await import("../screen/run-task.ts");
      const words = [...(typeof flags.print === "string" ? [flags.print] : []), ...task].join(" ");
      const resume = toResume(flags);
      setExitCode(
        await runTask(settings, openTerminal(settings.quiet), {
          ...(words !== "" && { task: words }),
          ...(maxTurns !== undefined && { maxTurns }),
          ...(resume !== undefined && { resume }),
        }),
      );
    })
    .addHelpText(
      "after",
      `\nExit codes: 0 done, 1 failed, 2 misuse, 3 something was denied, 4 turns used up, 130 interrupted.\n${examples(
        'ikigai run "what does @README.md promise?"',
        'git diff | ikigai run "write a commit message" --json',
        'ikigai run "tidy notes/" --approve edits --max-turns 10',
        'ikigai run --continue "and now the tests"',
      )}`,
    );
};

function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("It must be a whole number above zero.");
}
