import { relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import { namesFor, type PluginKind, type PluginNames } from "./names.ts";
import { writePlugin } from "./write-plugin.ts";

/** Where the generator talks. */
export interface Streams {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
}

const ALLOWED =
  "use lower-case letters, digits, dashes, dots and underscores, such as ikigai-source-sheep, and no name of Node's own";
const USAGE = `Usage: npm create ikigai-source NAME -- [--kind block|stream|part] [--description TEXT] [--directory DIR]

  NAME           the package's name, such as ikigai-source-foo
  --kind         block: text at paths; stream: events; part: tools, commands and more. Asked when absent, needed
                 without a terminal
  --description  one line. Asked when absent
  --directory    where to write it. Default: a folder named after it
`;

const KINDS: readonly PluginKind[] = ["block", "stream", "part"];
const UNPRINTABLE = /\p{Cc}/u;

/** Makes a plugin. Contract: resolves to the exit code: 0 made, 1 it could not be written, 2 misuse. */
export async function main(
  args: readonly string[],
  { input, output }: Streams = { input: process.stdin, output: process.stdout },
): Promise<number> {
  const say = (text: string): void => void output.write(`${text}\n`);
  let given: ReturnType<typeof parse>;
  try {
    given = parse(args);
  } catch (error) {
    say(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const [name] = given.positionals;
  if (given.values.help === true || name === undefined) {
    say(USAGE);
    return given.values.help === true ? 0 : 2;
  }
  const missing = given.values.kind === undefined || given.values.description === undefined;
  const askable = input.isTTY === true;
  if (namesFor(name, "block") === undefined) return refuse(`"${name}" cannot name a package: ${ALLOWED}`);
  if (given.values.kind === undefined && !askable) return refuse("--kind is needed where nobody can be asked");
  const prompt = missing && askable ? createInterface({ input, output }) : undefined;
  const ask = async (question: string): Promise<string> => (await prompt?.question(question))?.trim() ?? "";
  try {
    const kind =
      given.values.kind ??
      ((await ask("block (text at paths), stream (events) or part (tools, commands)? [block] ")) || "block");
    const description =
      given.values.description ??
      ((await ask("What does it bring, in one line? ")) || `A ${kind === "part" ? "part" : "source"} for ikigai`);
    if (!isKind(kind)) return refuse(`"${kind}" is none of ${KINDS.join(", ")}`);
    const names = namesFor(name, kind) as PluginNames;
    if (UNPRINTABLE.test(description)) return refuse("the description must be one line of text");
    const directory = resolve(given.values.directory ?? names.folder);
    const files = await writePlugin({ kind, names, description, directory });
    say(`Made ${names.package} in ${directory}:\n${files.map((file) => `  ${file}`).join("\n")}\n`);
    say(`Next:\n  cd ${relative(process.cwd(), directory) || "."}\n  npm install\n  npm test`);
    return 0;
  } catch (error) {
    say((error as Error).message);
    return 1;
  } finally {
    prompt?.close();
  }

  function refuse(why: string): number {
    say(`${why}\n\n${USAGE}`);
    return 2;
  }
}

function isKind(text: string): text is PluginKind {
  return (KINDS as readonly string[]).includes(text);
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { kind: text, description: text, directory: text, help: { type: "boolean", short: "h" } },
  });
}
