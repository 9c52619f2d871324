import { type AddCommand, examples } from "../command-line.ts";

export const addDemo: AddCommand = (program, _, { openTerminal, setExitCode }) => {
  program
    .command("demo")
    .description("watch a scripted model run into the budget and make room; needs no key")
    .action(async () => {
      const { playDemo } = await import("../demo/play-demo.ts");
      setExitCode(await playDemo(openTerminal(false)));
    })
    .addHelpText("after", examples("ikigai demo"));
};
