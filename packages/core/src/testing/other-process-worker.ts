import { IkigaiError } from "../errors.ts";
import type { TextFeatures, TextReader, DataBlockDefinition } from "../source/source.ts";
import { CONTESTS } from "./contend.ts";
import type { Answer, Opening, Request } from "./other-process.ts";

/** The child's side of {@link openOtherProcess}: opens the source that it is told of, and does with it what it is told. */
let source: TextReader & TextFeatures;

process.on("disconnect", () => process.exit());
process.on("message", (message: Opening | Request) => {
  void answer(message).then((reply) => process.send?.(reply));
});

async function answer(message: Opening | Request): Promise<Answer> {
  try {
    return { id: message.id, value: "method" in message ? await work(message) : await open(message) };
  } catch (error) {
    const code = IkigaiError.is(error) ? error.code : undefined;
    return {
      id: message.id,
      error: error instanceof Error ? error.message : String(error),
      ...(code !== undefined && { code }),
    };
  }
}

async function open({ module, name, options }: Opening): Promise<void> {
  const exported = Object.values((await import(module)) as Record<string, unknown>);
  const definition = exported.find((value) => isNamed(value, name));
  if (definition === undefined) throw new Error(`${module} exports no block source named "${name}"`);
  const checked = await definition.options["~standard"].validate(options);
  if (checked.issues !== undefined) throw new Error(`the schema refuses the options there: ${JSON.stringify(checked)}`);
  const host = { mount: "test", signal: new AbortController().signal, services: {}, warn: () => {} };
  source = (await definition.open(checked.value, host)) as TextReader & TextFeatures;
}

async function work({ id, method, args }: Request): Promise<unknown> {
  const started = (): void => void process.send?.({ id, started: true } satisfies Answer);
  if (method === "read") return source.read(...(args as [string]));
  if (method === "write") return source.write(...(args as [string, string]));
  if (method === "count") return CONTESTS.count(source, ...(args as [string, number]), started);
  if (method === "create") return CONTESTS.create(source, ...(args as [string[], string]), started);
  return CONTESTS.remove(source, ...(args as [Record<string, string>, string]), started);
}

function isNamed(value: unknown, name: string): value is DataBlockDefinition<unknown, never> {
  const definition = value as { readonly kind?: unknown; readonly name?: unknown } | null | undefined;
  return typeof definition === "object" && definition?.kind === "block" && definition.name === name;
}
