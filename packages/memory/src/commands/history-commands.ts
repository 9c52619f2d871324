import { type Actor, type Command, IkigaiError, type Route } from "@ikigai/core";
import type { JournalRecord, PrunedHistory } from "../journal.ts";
import {
  type CommandContext,
  expectArguments,
  expectPlace,
  isBlockLabel,
  findPlace,
  ownersOf,
  textReads,
} from "./command-context.ts";
import { changesOfCall, takeAllBack } from "./same-call.ts";
import { revisionLine, sourceDiff, sourceHistory } from "./source-history.ts";
import { diffOf, lineOf, prunedLine } from "./show-record.ts";
import { actionOf, nextToUndo } from "./take-back.ts";

/** Undo looks this far back. */
const LOOK_BACK = 500;

/** `/history`, `/diff` and `/undo`: the same for files, assets and notes. */
export function historyCommands(context: CommandContext): Command[] {
  const { journal, blocks } = context;

  async function findRecords(place: string, actor: Actor, limit?: number): Promise<FoundRecords> {
    const route = await findPlace(context, place, actor);
    const owners = await ownersOf(context, route, actor);
    const options = limit === undefined ? {} : { limit };
    const records = await Promise.all(owners.map((owner) => journal.history(route.uri, { owner, ...options })));
    const pruned = await Promise.all(owners.map((owner) => journal.pruned(route.uri, { owner })));
    return {
      route,
      owners,
      records: records.flat().toSorted((a, b) => Number(b.id) - Number(a.id)),
      pruned: pruned.find((one) => one !== undefined),
    };
  }

  async function pick(
    place: string,
    id: string | undefined,
    actor: Actor,
  ): Promise<{ route: Route; record: JournalRecord }> {
    const { route, owners, records, pruned } = await findRecords(place, actor, LOOK_BACK);
    const record = id === undefined ? await next(route, records, actor) : await entryOf(id, route, owners, pruned);
    if (record !== undefined) return { route, record };
    if (pruned !== undefined) throw isPruned(route, id, pruned);
    const what = id !== undefined ? `no entry ${id}` : records.length === 0 ? "no change" : "nothing more to undo";
    throw new IkigaiError("not_found", `The journal has ${what} of ${route.uri}`, { hint: `See /history ${place}` });
  }

  async function next(
    { source, address }: Route,
    records: readonly JournalRecord[],
    actor: Actor,
  ): Promise<JournalRecord | undefined> {
    const isOpen = records.some(({ state }) => state === "intended");
    return nextToUndo(records, isOpen ? (await source.read(address.path, { actor }))?.text : undefined);
  }

  /** Contract: absent when the entry is of another text. */
  async function entryOf(
    id: string,
    { uri }: Route,
    owners: readonly string[],
    pruned: PrunedHistory | undefined,
  ): Promise<JournalRecord | undefined> {
    try {
      const record = await journal.get(id);
      return record.uri === uri && owners.includes(record.owner) ? record : undefined;
    } catch (error) {
      if (!IkigaiError.is(error, "not_found")) throw error;
      if (pruned !== undefined && Number(id) > Number(pruned.lastId)) throw error;
      return undefined;
    }
  }

  return [
    {
      name: "history",
      usage: "ADDRESS",
      description: "Shows who changed a text, when, with which tool and why; also what its source itself remembers.",
      examples: ["/history src/main.c", "/history skills/ddd"],
      effects: async ([place]) => textReads(context, expectPlace("history", "ADDRESS", place)),
      async run(args, actor) {
        expectArguments("history", "ADDRESS", args, 1, 1);
        const [place = ""] = args;
        if (await isBlockLabel(context, place, actor)) {
          const changes = await blocks.history(place, actor);
          return {
            text: changes
              .map(({ at, author, message }) => `${at.toISOString()}  ${author ?? "-"}  ${message ?? ""}`)
              .join("\n"),
            data: changes,
          };
        }
        const { route, records, pruned } = await findRecords(place, actor);
        const revisions = await sourceHistory(route, actor, records);
        const older = pruned === undefined ? [] : [prunedLine(pruned)];
        const entries = [
          ...records.map((record) => ({ at: record.at, line: lineOf(record), data: record })),
          ...revisions.map((revision) => ({ at: revision.at, line: revisionLine(revision), data: revision })),
        ];
        // The journal is in its own order already; only what the source says is put in between by time.
        if (revisions.length > 0) entries.sort((one, other) => other.at.getTime() - one.at.getTime());
        const lines = [...entries.map(({ line }) => line), ...older];
        if (lines.length === 0) return { text: `${route.uri} was not changed through the tools.`, data: [] };
        return { text: lines.join("\n"), data: entries.map(({ data }) => data) };
      },
    },
    {
      name: "diff",
      usage: "ADDRESS [ID]",
      description: "Shows what a change did; the latest unless an id is given.",
      examples: ["/diff src/main.c", "/diff src/main.c 17"],
      effects: async ([place]) => textReads(context, expectPlace("diff", "ADDRESS [ID]", place)),
      async run(args, actor) {
        expectArguments("diff", "ADDRESS [ID]", args, 1, 2);
        const [place = "", id] = args;
        if (await isBlockLabel(context, place, actor)) return { text: await blocks.diff(place, actor) };
        if (id !== undefined) {
          const route = await findPlace(context, place, actor);
          const text = /^\d+$/.test(id) ? undefined : await sourceDiff(route, actor, id);
          return { text: text ?? diffOf((await pick(place, id, actor)).record) };
        }
        const { records, route, pruned } = await findRecords(place, actor, 1);
        if (records[0] !== undefined) return { text: diffOf(records[0]) };
        if (pruned !== undefined) throw isPruned(route, id, pruned);
        const text = await sourceDiff(route, actor);
        if (text !== undefined) return { text };
        throw new IkigaiError("not_found", `The journal has no change of ${route.uri}`);
      },
    },
    {
      name: "undo",
      usage: "ADDRESS [ID]",
      description:
        "Takes a change back, if nothing changed since; the latest that is not undone unless an id is given. " +
        "A call that changed several texts is taken back as a whole.",
      examples: ["/undo src/main.c", "/undo skills/ddd 17"],
      async effects([given, id], actor) {
        const place = expectPlace("undo", "ADDRESS [ID]", given);
        if (await isBlockLabel(context, place, actor)) return [{ action: "update", target: `block:///${place}` }];
        const changes = await changesOfCall(context, await pick(place, id, actor), actor);
        const reads = changes.flatMap(({ route }) => textReads(context, route.uri));
        return [
          ...textReads(context, place),
          ...(changes.length > 1 ? reads : []),
          ...changes.map(({ route, record }) => ({ action: actionOf(record), target: route.uri })),
        ];
      },
      async run(args, actor) {
        expectArguments("undo", "ADDRESS [ID]", args, 1, 2);
        const [place = "", id] = args;
        if (await isBlockLabel(context, place, actor)) {
          await blocks.edit(place, { op: "undo" }, actor);
          return { text: `Took back the last edit of ${place}.` };
        }
        const changes = await changesOfCall(context, await pick(place, id, actor), actor);
        return { text: await takeAllBack(context, changes, actor) };
      },
    },
  ];
}

interface FoundRecords {
  readonly route: Route;
  readonly owners: readonly string[];
  /** Newest first. */
  readonly records: readonly JournalRecord[];
  readonly pruned: PrunedHistory | undefined;
}

function isPruned({ uri }: Route, id: string | undefined, { count, until }: PrunedHistory): IkigaiError {
  const what = id === undefined ? "Earlier changes" : `Entry ${id}`;
  return new IkigaiError(
    "not_found",
    `${what} of ${uri} cannot be shown or undone: what is older than ${until.toISOString()} is no longer kept (${count} so far)`,
    { hint: "How long entries are kept is set by retention.journal in the configuration." },
  );
}
