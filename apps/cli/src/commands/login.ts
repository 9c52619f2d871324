import { IkigaiError } from "@ikigai/core";
import { type AddCommand, examples } from "../command-line.ts";
import { type GlobalFlags, resolveSettings } from "../settings.ts";

/** Needs no host: a key is the user's own business. */
export const addLogin: AddCommand = (program, _, { openTerminal }) => {
  program
    .command("login")
    .description("keep a provider's key in a file that only you can read")
    .argument("<provider>", "such as anthropic or openai")
    .action(async (provider: string) => {
      const settings = resolveSettings(program.opts<GlobalFlags>());
      const terminal = openTerminal(settings.quiet);
      if (!/^[a-z0-9-]+$/.test(provider)) {
        throw new IkigaiError("invalid_input", `${JSON.stringify(provider)} does not name a provider`, {
          hint: "Use a name such as anthropic.",
        });
      }
      const { openCredentials } = await import("@ikigai/host/configuration");
      const credentials = openCredentials(settings.configDirectory);
      const piped = terminal.piped === true;
      if (!piped && !terminal.interactive) {
        throw new IkigaiError("invalid_input", "There is nobody to ask for the key", {
          hint: `Pipe it in: printf %s "$KEY" | ikigai login ${provider}.`,
        });
      }
      const ask = terminal.askSecret ?? terminal.ask;
      const key = (piped ? await terminal.readInput() : await ask(`Key for ${provider} (not shown): `)).trim();
      if (key === "" || /\s/.test(key)) {
        throw new IkigaiError("invalid_input", "A key is one word without spaces; nothing was kept");
      }
      const { actOfAPerson } = await import("@ikigai/host/policy");
      const effect = { action: "update", target: credentials.path } as const;
      await actOfAPerson(settings, { command: "login", effect, input: { provider } }, () =>
        credentials.keep(provider, key),
      );
      terminal.print(`Kept the key for ${provider} in ${credentials.path}.`);
    })
    .addHelpText("after", examples("ikigai login anthropic", 'printf %s "$KEY" | ikigai login openai'));
};
