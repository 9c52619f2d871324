import { type AddCommand, examples } from "../command-line.ts";

/** Stands in help and in the reference; the command line itself reads `help X` as `X --help`. */
export const addHelp: AddCommand = (program) => {
  program
    .command("help")
    .description("say what a command does and how it is used")
    .argument("[command]")
    .action(() => program.outputHelp())
    .addHelpText("after", examples("ikigai help", "ikigai help run"));
};
