import { type Actor, type Effect, formatAddress, IkigaiError, type Preview } from "@ikigai/core";
import { actorOf, type Command, type CommandPlan, type Route } from "@ikigai/core/host";
import { blockTarget } from "../blocks/blocks.ts";
import { changedPath, journalledUris } from "../journal/changed-path.ts";
import type { JournalRecord, PrunedHistory } from "../journal/journal.ts";
import {
  type CommandCall,
  type CommandContext,
  type CommandResult,
  expectArguments,
  expectPlace,
  isBlockLabel,
  findPlace,
  ownersOf,
  textReads,
} from "./command-context.ts";
import { type Change, changesOfCall, takeAllBack } from "./same-call.ts";
import { revisionLine, sourceDiff, sourceHistory } from "./source-history.ts";
import { describeRecord, diffOf, lineOf, prunedLine } from "./show-record.ts";
import { actionOf, nextToUndo } from "./take-back.ts";

/** Undo looks this far back. */
const LOOK_BACK = 500;

/** `/history`, `/diff` and `/undo`: the same for files, assets and notes. */
export function historyCommands(context: CommandContext): Command[] {
  const { journal, blocks } = context;

  async function findRecords(route: Route, actor: Actor, limit?: number): Promise<FoundRecords> {
    const owners = await ownersOf(context, route, actor);
    const options = limit === undefined ? {} : { limit };
    const each = journalledUris(route).flatMap((uri) => owners.map((owner) => ({ uri, owner })));
    const records = await Promise.all(each.map(({ uri, owner }) => journal.history(uri, { owner, ...options })));
    const pruned = await Promise.all(each.map(({ uri, owner }) => journal.pruned(uri, { owner })));
    return {
      owners,
      records: records.flat().toSorted((a, b) => Number(b.id) - Number(a.id)),
      pruned: pruned.find((one) => one !== undefined),
    };
  }

  async function pick(place: string, route: Route, id: string | undefined, actor: Actor): Promise<JournalRecord> {
    const { owners, records, pruned } = await findRecords(route, actor, LOOK_BACK);
    const record = id === undefined ? await next(route, records, actor) : await entryOf(id, route, owners, pruned);
    if (record !== undefined) return record;
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
    route: Route,
    owners: readonly string[],
    pruned: PrunedHistory | undefined,
  ): Promise<JournalRecord | undefined> {
    try {
      const record = await journal.get(id);
      return journalledUris(route).includes(record.uri) && owners.includes(record.owner) ? record : undefined;
    } catch (error) {
      if (!IkigaiError.is(error, "not_found")) throw error;
      if (pruned !== undefined && Number(id) > Number(pruned.lastId)) throw error;
      return undefined;
    }
  }

  async function showHistory(route: Route, actor: Actor): Promise<CommandResult> {
    const { records, pruned } = await findRecords(route, actor);
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
  }

  async function showDiff(place: string, route: Route, id: string | undefined, actor: Actor): Promise<string> {
    if (id !== undefined) {
      const text = /^\d+$/.test(id) ? undefined : await sourceDiff(route, actor, id);
      return text ?? diffOf(await pick(place, route, id, actor));
    }
    const { records, pruned } = await findRecords(route, actor, 1);
    if (records[0] !== undefined) return diffOf(records[0]);
    if (pruned !== undefined) throw isPruned(route, id, pruned);
    const text = await sourceDiff(route, actor);
    if (text !== undefined) return text;
    throw new IkigaiError("not_found", `No change of ${route.uri} is recorded`, {
      hint: "Changes made through the tools are; what other programs did to a file is not.",
    });
  }

  /** The block of that label, or where the text of that place is or was. */
  async function targetOf(
    place: string,
    actor: Actor,
    use: "read" | "change" = "read",
  ): Promise<{ readonly block: string } | { readonly route: Route }> {
    if (await isBlockLabel(context, place, actor)) return { block: place };
    return { route: await findPlace(context, place, actor, use) };
  }

  const blockReads = (label: string): Effect => ({ action: "read", target: blockTarget(label) });

  return [
    {
      name: "history",
      usage: "ADDRESS",
      description: "Shows who changed a text, when, with which tool and why; also what its source itself remembers.",
      examples: ["/history src/main.c", "/history skills/ddd"],
      async plan(args, planned) {
        const place = expectPlace("history", "ADDRESS", args[0]);
        expectArguments("history", "ADDRESS", args, 1, 1);
        const target = await targetOf(place, actorOf(planned));
        if ("block" in target) {
          const run = async (call: CommandCall): Promise<CommandResult> => {
            const changes = await blocks.history(target.block, actorOf(call));
            const lines = changes.map(
              ({ at, author, message }) => `${at.toISOString()}  ${author ?? "-"}  ${message ?? ""}`,
            );
            return { text: lines.join("\n"), data: changes };
          };
          return { effects: [blockReads(target.block)], run };
        }
        return {
          effects: textReads(context, place),
          run: (call) => showHistory(target.route, actorOf(call)),
        };
      },
    },
    {
      name: "diff",
      usage: "ADDRESS [ID]",
      description: "Shows what a change did; the latest unless an id is given.",
      examples: ["/diff src/main.c", "/diff src/main.c 17"],
      async plan(args, planned) {
        const place = expectPlace("diff", "ADDRESS [ID]", args[0]);
        expectArguments("diff", "ADDRESS [ID]", args, 1, 2);
        const target = await targetOf(place, actorOf(planned));
        if ("block" in target) {
          const run = async (call: CommandCall): Promise<CommandResult> => ({
            text: await blocks.diff(target.block, actorOf(call)),
          });
          return { effects: [blockReads(target.block)], run };
        }
        return {
          effects: textReads(context, place),
          run: async (call) => ({ text: await showDiff(place, target.route, args[1], actorOf(call)) }),
        };
      },
    },
    {
      name: "undo",
      usage: "ADDRESS [ID]",
      description:
        "Takes a change back, if nothing changed since; the latest that is not undone unless an id is given. " +
        "A call that changed several texts is taken back as a whole.",
      examples: ["/undo src/main.c", "/undo skills/ddd 17"],
      async plan(args, planned) {
        const place = expectPlace("undo", "ADDRESS [ID]", args[0]);
        expectArguments("undo", "ADDRESS [ID]", args, 1, 2);
        const actor = actorOf(planned);
        const target = await targetOf(place, actor, "change");
        if ("block" in target) return planBlockUndo(context, target.block, actor);
        const record = await pick(place, target.route, args[1], actor);
        const route = record.uri === target.route.uri ? target.route : context.sources.route(record.uri);
        const changes = await changesOfCall(context, { route, record }, actor);
        const reads = changes.flatMap(({ route }) => textReads(context, route.uri));
        return {
          effects: [
            ...textReads(context, place),
            ...(changes.length > 1 ? reads : []),
            ...changes.map((change) => ({ action: actionOf(change.record), target: targetOfUndo(change) })),
          ],
          preview: previewOf(changes),
          run: async (call) => ({ text: await takeAllBack(context, changes, actorOf(call)) }),
        };
      },
    },
  ];
}

/** A text that was created through a link is removed where the link leads, and the link stays. */
function targetOfUndo({ route, record }: Change): string {
  const { source, address, uri } = route;
  if (actionOf(record) !== "delete") return uri;
  return formatAddress({ mount: address.mount, path: changedPath(source, address.path) });
}

/** Takes the last edit of a block back. Contract: `conflict` when the block was edited since it was planned. */
async function planBlockUndo({ blocks }: CommandContext, label: string, actor: Actor): Promise<CommandPlan> {
  const { version } = await blocks.info(label, actor);
  return {
    effects: [{ action: "update", target: blockTarget(label) }],
    async run(call) {
      const present = await blocks.info(label, actorOf(call));
      if (present.version !== version) {
        throw new IkigaiError("conflict", `The block "${label}" was edited since the command was judged`, {
          hint: "Look at it again, then give the command once more.",
        });
      }
      await blocks.edit(label, { op: "undo" }, actorOf(call));
      return { text: `Took back the last edit of ${label}.` };
    },
  };
}

/** What taking these changes back does, for whoever is asked. */
function previewOf(changes: readonly Change[]): Preview {
  const lines = changes.map(({ route, record }) => `change ${record.id} of ${route.uri} (${describeRecord(record)})`);
  const [only, ...others] = changes;
  const description = `Take back ${lines.join(", ")}`;
  if (only === undefined || others.length > 0) return { description, count: changes.length };
  const { before, after } = only.record;
  if (before === undefined && after === undefined) return { description };
  return { description, before: after?.text ?? "", after: before?.text ?? "" };
}

interface FoundRecords {
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
