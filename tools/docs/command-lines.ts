import { loadCommands } from "../../apps/cli/src/commands/all.ts";
import { createProgram } from "../../apps/cli/src/program.ts";

type Command = ReturnType<typeof createProgram>;

/** The simple commands of a script, each as its words. Contract: reads quotes, comments, `|`, `;`, `&&`, not expansions. */
export function commandsIn(script: string): string[][] {
  const commands: string[][] = [[]];
  const tokens = script
    .replaceAll("\\\n", " ")
    .matchAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|(#[^\n]*)|(\|\||&&|[|;\n])|([^\s'"|;&]+|&)|(\s+)/g);
  let word: string | undefined;
  const end = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (const [, single, double, comment, separator, plain] of tokens) {
    if (single !== undefined) word = `${word ?? ""}${single}`;
    else if (double !== undefined) word = `${word ?? ""}${double.replaceAll(/\\(["\\$`])/g, "$1")}`;
    else if (plain !== undefined) word = `${word ?? ""}${plain}`;
    else {
      end();
      if (separator !== undefined) commands.push([]);
      if (comment !== undefined) continue;
    }
  }
  end();
  return commands.filter((words) => words.length > 0);
}

/** The words after `ikigai`, when the command runs it. */
export function ikigaiWords(words: readonly string[]): readonly string[] | undefined {
  const redirect = words.findIndex((word) => /^[<>]/.test(word));
  const own = redirect === -1 ? words : words.slice(0, redirect);
  const start = own.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const [first, second, third] = own.slice(start);
  if (first === "ikigai") return own.slice(start + 1);
  if (first === "npm" && second === "start") return third === "--" ? own.slice(start + 3) : [];
  return undefined;
}

/** What the command line has against these words, or `undefined`. Contract: runs nothing. */
export async function misuse(words: readonly string[]): Promise<string | undefined> {
  const said: string[] = [];
  const program = createProgram({ print: () => {}, complain: (text) => void said.push(text) });
  for (const add of await loadCommands())
    add(program, () => async () => {}, { openTerminal: refuse, setExitCode: () => {} });
  disarm(program);
  program.action(() => {
    const [first] = program.args;
    if (first !== undefined && !first.includes(" ")) throw new Error(`there is no command ${first}`);
  });
  try {
    await program.allowExcessArguments().parseAsync(words, { from: "user" });
    return undefined;
  } catch (error) {
    if ((error as { exitCode?: unknown }).exitCode === 0) return undefined;
    return said.join("\n") || String(error);
  }
}

function disarm(command: Command): void {
  for (const one of command.commands) {
    one.exitOverride().configureOutput(command.configureOutput());
    if (one.commands.length === 0 || one.name() === "mcp") one.action(() => {});
    disarm(one);
  }
}

function refuse(): never {
  throw new Error("Nothing may run");
}
