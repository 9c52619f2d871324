import { resolve } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { Option } from "commander";
import { actOfAPerson } from "@ikigai/host/policy";
import type { Archive } from "@ikigai/recall/part";
import { type AddCommand, examples, type Session } from "../../command-line.ts";
import { linesOf } from "../../lines-of.ts";
import { writeNewFile } from "../../new-file.ts";
import { loadPart, notInstalled, requireFeature } from "@ikigai/host/parts";
import { showProgress } from "../../terminal/show-progress.ts";
import { untilInterrupted } from "../../terminal/until-interrupted.ts";

type Format = "jsonl" | "mcp-memory";

export const addRecall: AddCommand = (program, withSession) => {
  const recall = program
    .command("recall")
    .description("search the archive and look after it")
    .addHelpText("after", examples("ikigai recall search deploy", "ikigai recall import memories.jsonl"));
  recall
    .command("search")
    .description("list what the archive has on these words, best first")
    .argument("<query...>", "words, names, dates")
    .option("--limit <number>", "results at most (default: 10)")
    .option("--scope <scope>", "entries, turns, assets, blocks or all (default: all)")
    .action(
      withSession((session, words: readonly string[], flags: SearchFlags) => search(session, words.join(" "), flags)),
    )
    .addHelpText(
      "after",
      examples("ikigai recall search deploy", "ikigai recall search 'release plan' --limit 3 --json"),
    );
  recall
    .command("status")
    .description("say how many entries there are, and how many have a vector of the embedder")
    .action(withSession(status))
    .addHelpText("after", examples("ikigai recall status", "ikigai recall status --json"));
  recall
    .command("embed")
    .description("give every entry that has none a vector of the configured embedder; stopped, it goes on next time")
    .option("--batch <number>", "entries per request (default: of the configuration, then 32)")
    .action(withSession((session, { batch }: { batch?: string }) => embed(session, batch)))
    .addHelpText("after", examples("ikigai recall embed", "ikigai recall embed --batch 8"));
  recall
    .command("reindex")
    .description("index every entry anew after the languages of the configuration were changed")
    .action(withSession(reindex))
    .addHelpText("after", examples("ikigai recall reindex"));
  recall
    .command("show")
    .description("show an entry with what it corrected and what corrected it, oldest first")
    .argument("<id>", "its id, or its address recall:///entries/ID")
    .action(withSession((session, id: string) => show(session, id)))
    .addHelpText("after", examples("ikigai recall show 17", "ikigai recall show recall:///entries/17"));
  recall
    .command("erase")
    .description("remove an entry's content for good, leaving a tombstone")
    .argument("<id>", "its id, or its address recall:///entries/ID")
    .option("--reason <text>", "why")
    .action(withSession((session, id: string, { reason }: { reason?: string }) => erase(session, id, reason)))
    .addHelpText("after", examples("ikigai recall erase 17 --reason 'asked to'"));
  recall
    .command("import")
    .description("take in JSON lines, or the MCP memory server's file; what is there already is recognised")
    .argument("<file>")
    .option("--after-line <number>", "go on after this line")
    .action(
      withSession((session, file: string, { afterLine }: { afterLine?: string }) =>
        importFile(session, file, afterLine),
      ),
    )
    .addHelpText(
      "after",
      examples("ikigai recall import memory.json", "ikigai recall import m.jsonl --after-line 400"),
    );
  recall
    .command("export")
    .description("write all entries to a file, or to standard output")
    .argument("[file]")
    .addOption(
      new Option("--format <format>", "jsonl keeps everything; mcp-memory is the MCP memory server's file")
        .choices(["jsonl", "mcp-memory"])
        .default("jsonl"),
    )
    .action(
      withSession((session, file: string | undefined, { format }: { format: Format }) =>
        exportFile(session, file, format),
      ),
    )
    .addHelpText("after", examples("ikigai recall export entries.jsonl", "ikigai recall export --format mcp-memory"));
};

interface SearchFlags {
  readonly limit?: string;
  readonly scope?: string;
}

/** Contract: asks through the tool, so that a person finds what an agent would. */
async function search({ host, settings, terminal }: Session, query: string, flags: SearchFlags): Promise<void> {
  requireFeature("recall");
  const { limit, scope } = flags;
  const input = {
    op: "search",
    query,
    ...(limit !== undefined && { limit: wholeNumber("--limit", limit, 1) }),
    scope: scope ?? "all",
  };
  const { dataOf } = await import("@ikigai/host");
  const who = { agent: settings.agent, conversation: `shell-${process.pid}` };
  const { results } = dataOf(await host.registry.call({ name: "recall", arguments: input }, who)) as {
    results: readonly {
      readonly id: string;
      readonly content: string;
      readonly created_at?: string;
      readonly label?: string;
    }[];
  };
  if (settings.json) return terminal.print(JSON.stringify(results));
  if (results.length === 0) return terminal.print(`Nothing was found for ${JSON.stringify(query)}.`);
  for (const { id, content, created_at: at, label } of results) {
    terminal.print([id, ...(at === undefined ? [] : [at.slice(0, 10)]), ...(label ? [label] : [])].join("  "));
    for (const line of content.trimEnd().split("\n")) terminal.print(`    ${line}`);
  }
}

async function status({ host, settings, terminal }: Session): Promise<void> {
  requireFeature("recall");
  const found = await archiveOf(host).status({ owner: settings.agent });
  if (settings.json) return terminal.print(JSON.stringify(found));
  const { entries, embedded, model } = found;
  terminal.print(`entries   ${entries}`);
  if (model === undefined)
    return terminal.print("embedder  none: results are found by words, names and dates, not by meaning");
  terminal.print(`embedder  ${model}`);
  terminal.print(`embedded  ${embedded} of ${entries}`);
  if (embedded !== entries) terminal.note("Embed the rest with: ikigai recall embed");
}

async function embed({ host, settings, terminal }: Session, given: string | undefined): Promise<void> {
  const { embedPending } = await loadPart("@ikigai/recall", "recall");
  const { embedding } = await archiveOf(host).open();
  if (embedding === undefined) {
    throw new IkigaiError("invalid_input", "No embedder is configured", {
      hint: 'Name one in the configuration, such as {"recall":{"embedder":{"use":"offline"}}}.',
    });
  }
  const batch = given === undefined ? host.config.recall?.embedder?.batch : wholeNumber("--batch", given, 1);
  const progress = showProgress(terminal, "embedded");
  let finished = 0;
  try {
    const effect = { action: "update", target: "recall:///entries" } as const;
    const act = { command: "recall embed", effect, input: { model: embedding.model } };
    await actOfAPerson(settings, act, () =>
      untilInterrupted((signal) =>
        embedPending(embedding, {
          signal,
          ...(batch !== undefined && { batch }),
          onProgress({ done, remaining }) {
            finished = done;
            progress.at(done, done + remaining);
          },
        }),
      ),
    );
  } catch (error) {
    progress.end();
    if (finished > 0) terminal.note(`${finished} entries were embedded before; the same command goes on there.`);
    throw error;
  }
  progress.end();
  terminal.print(`${finished} entries were embedded with ${embedding.model}.`);
}

async function reindex({ host, settings, terminal }: Session): Promise<void> {
  const { reindexRecall } = await loadPart("@ikigai/recall", "recall");
  const { database } = await host.store.open();
  const languages = host.config.recall?.languages;
  const effect = { action: "update", target: "recall:///entries" } as const;
  const act = { command: "recall reindex", effect, input: { languages } };
  const count = await actOfAPerson(settings, act, () =>
    untilInterrupted((signal) =>
      reindexRecall(database, {
        signal,
        ...(languages !== undefined && { languages }),
        onProgress: (done) => terminal.live?.(`${done} entries`),
      }),
    ),
  );
  terminal.live?.();
  terminal.print(`${count} entries were indexed anew.`);
}

async function show({ host, settings, terminal }: Session, given: string): Promise<void> {
  requireFeature("recall");
  const recall = archiveOf(host);
  const chain = await recall.history(entryId(given), { owner: settings.agent });
  if (settings.json) return terminal.print(JSON.stringify(chain));
  for (const { id, content, createdAt, supersededBy, erased } of chain) {
    const state = erased ? `erased by ${erased.by}` : supersededBy ? `corrected by ${supersededBy}` : "holds";
    terminal.print(`${id}  ${createdAt.toISOString()}  ${state}`);
    for (const line of content === "" ? [] : content.split("\n")) terminal.print(`    ${line}`);
  }
}

async function erase({ host, settings, terminal }: Session, given: string, reason: string | undefined): Promise<void> {
  requireFeature("recall");
  const id = entryId(given);
  const recall = archiveOf(host);
  const effect = { action: "delete", target: `recall:///entries/${id}` } as const;
  const act = { command: "recall erase", effect, input: { id, reason } };
  await actOfAPerson(settings, act, () =>
    recall.erase(id, { by: settings.agent, ...(reason !== undefined && { reason }) }, { owner: settings.agent }),
  );
  terminal.print(`Entry ${id} is erased.`);
}

async function importFile({ host, settings, terminal }: Session, file: string, given?: string): Promise<void> {
  const afterLine = given === undefined ? 0 : wholeNumber("--after-line", given, 0);
  const { importEntries } = await loadPart("@ikigai/recall", "recall");
  let total = 0;
  for await (const _ of linesOf(file)) total += 1;
  const recall = archiveOf(host);
  const progress = showProgress(terminal, "imported");
  let at = afterLine;
  try {
    const act = {
      command: "recall import",
      effect: { action: "create", target: "recall:///entries" },
      input: { file, afterLine },
    } as const;
    const { line, stored, recognised } = await actOfAPerson(settings, act, () =>
      untilInterrupted((signal) =>
        importEntries(recall, linesOf(file), {
          owner: settings.agent,
          afterLine,
          signal,
          onProgress(reached) {
            at = reached.line;
            progress.at(at, total, `${reached.stored} stored`);
          },
        }),
      ),
    );
    progress.end();
    terminal.print(`${stored} entries were stored and ${recognised} were there already (${line} lines).`);
  } catch (error) {
    progress.end();
    if (at > 0) terminal.note(`Lines up to ${at} are in; go on with --after-line ${at}, or import the whole again.`);
    throw error;
  }
}

async function exportFile(
  { host, settings, terminal }: Session,
  file: string | undefined,
  format: Format,
): Promise<void> {
  const { exportEntries } = await loadPart("@ikigai/recall", "recall");
  const recall = archiveOf(host);
  const each = (write: (line: string) => unknown): Promise<void> =>
    untilInterrupted(async (signal) => {
      for await (const line of exportEntries(recall, { owner: settings.agent, format, signal })) await write(line);
    });
  if (file === undefined) return each((line) => terminal.printRaw(line));
  let lines = 0;
  try {
    const act = {
      command: "recall export",
      effect: { action: "create", target: resolve(file) },
      input: { format },
    } as const;
    await actOfAPerson(settings, act, () =>
      writeNewFile(file, (handle) =>
        each(async (line) => {
          await handle.write(`${line}\n`);
          lines += 1;
          if (lines % 1_000 === 0) terminal.live?.(`${lines} lines`);
        }),
      ),
    );
  } finally {
    terminal.live?.();
  }
  terminal.print(`${lines} lines were written to ${file}.`);
}

/** The id of an entry that is named by its id or by its address. */
function entryId(given: string): string {
  return given.replace(/^recall:\/\/\/entries\//, "");
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new IkigaiError(
    "invalid_input",
    `${name} is ${JSON.stringify(text)}, it must be a whole number from ${least}`,
    { hint: `Write a whole number of at least ${least}.` },
  );
}

/** Contract: `unavailable` where the archive is not installed. */
function archiveOf({ services }: Session["host"]): Archive {
  if (services.recall === undefined) throw notInstalled("recall");
  return services.recall;
}
