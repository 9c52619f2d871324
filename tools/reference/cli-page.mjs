import { cell, code, table } from "./tables.mjs";

/** The page of the command line, from the definitions that it parses by. */
export async function cliPage() {
  const { createProgram } = await import("../../apps/cli/dist/program.js");
  const { loadCommands } = await import("../../apps/cli/dist/commands/all.js");
  const program = createProgram({ print() {}, complain() {} });
  for (const add of await loadCommands()) add(program, () => async () => {}, { openTerminal() {}, setExitCode() {} });
  const commands = program.commands.flatMap((command) => withSubcommands(command));
  return `# Command line

\`ikigai\` alone opens a conversation at a terminal, and \`ikigai "TASK"\` begins it with that message; elsewhere it does the task that is
given or piped in, and shows what to try without one. Standard output carries the
result only; everything else goes to standard error. The exit code is 0 for success, 1 when a call failed, 2 for misuse.

## Flags of every command

They work in any position.

${options(program)}

${commands.map(section).join("\n\n")}
`;
}

function withSubcommands(command, before = []) {
  const path = [...before, command.name()];
  const own = command.commands.length === 0 || command.options.length > 0 ? [{ path, command }] : [];
  return [...own, ...command.commands.flatMap((one) => withSubcommands(one, path))];
}

function section({ path, command }) {
  const [shown] = command.registeredArguments;
  const usage =
    shown?.variadic && !shown.required ? cell(shown.description) : command.registeredArguments.map(argument).join(" ");
  const described = command.registeredArguments.filter(({ description, variadic }) => description && !variadic);
  const parts = [`## ikigai ${path.join(" ")}`, sentence(command.description())];
  parts.push(
    `Usage: \`ikigai ${[...path, ...(command.options.length > 0 ? ["[options]"] : []), usage].join(" ").trim()}\``.replaceAll(
      "\\|",
      "|",
    ),
  );
  if (described.length > 0)
    parts.push(
      table(
        ["argument", "meaning"],
        described.map((one) => [code(one.name()), one.description]),
      ),
    );
  if (command.options.length > 0) parts.push(options(command));
  const examples = after(command);
  if (examples !== "") parts.push(`\`\`\`sh norun: an example from the command's own help\n${examples}\n\`\`\``);
  return parts.join("\n\n");
}

const argument = (one) =>
  one.required ? `<${one.name()}${one.variadic ? "..." : ""}>` : `[${one.name()}${one.variadic ? "..." : ""}]`;

function options(command) {
  const rows = command.options.map((option) => [
    code(option.flags),
    `${option.description}${option.argChoices ? `: ${option.argChoices.map(code).join(", ")}` : ""}`,
    option.defaultValue === undefined ? "" : code(option.defaultValue),
  ]);
  return table(["flag", "meaning", "default"], rows);
}

/** The examples at the end of a command's help. */
function after(command) {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  const [, examples = ""] = text.split("Examples:\n");
  return examples
    .trimEnd()
    .split("\n")
    .map((line) => line.trim())
    .join("\n");
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
