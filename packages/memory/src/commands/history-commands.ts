import { type Actor, type Effect, formatAddress, IkigaiError, type Preview } from "@ikigai/core";
import { actorOf, type Command, type CommandPlan, type Route } from "@ikigai/core/host";
import { blockTarget } from "../blocks/blocks.ts";
import { changedPath } from "../journal/changed-path.ts";
import {
  type CommandCall,
  type CommandContext,
  type CommandResult,
  expectArguments,
  expectPlace,
  isBlockLabel,
  findPlace,
  textReads,
} from "./command-context.ts";
import { findRecords, isPruned, pickRecord } from "./find-records.ts";
import { type Change, changesOfCall, takeAllBack } from "./same-call.ts";
import { revisionLine, sourceDiff, sourceHistory } from "./source-history.ts";
import { describeRecord, diffOf, lineOf, prunedLine } from "./show-record.ts";
import { actionOf } from "./take-back.ts";

/** `/history`, `/diff` and `/undo`: the same for files, assets and notes. */
export function historyCommands(context: CommandContext): Command[] {
  return [historyCommand(context), diffCommand(context), undoCommand(context)];
}

function historyCommand(context: CommandContext): Command {
  return {
    name: "history",
    usage: "ADDRESS",
    description: "Shows who changed a text, when, with which tool and why; also what its source itself remembers.",
    examples: ["/history src/main.c", "/history skills/ddd"],
    async plan(args, planned) {
      const place = expectPlace("history", "ADDRESS", args[0]);
      expectArguments("history", "ADDRESS", args, 1, 1);
      const target = await targetOf(context, place, actorOf(planned));
      if ("block" in target) {
        const run = async (call: CommandCall): Promise<CommandResult> => {
          const changes = await context.blocks.history(target.block, actorOf(call));
          const lines = changes.map(
            ({ at, author, message }) => `${at.toISOString()}  ${author ?? "-"}  ${message ?? ""}`,
          );
          return { text: lines.join("\n"), data: changes };
        };
        return { effects: [blockReads(target.block)], run };
      }
      return {
        effects: textReads(context, place),
        run: (call) => showHistory(context, target.route, actorOf(call)),
      };
    },
  };
}

function diffCommand(context: CommandContext): Command {
  return {
    name: "diff",
    usage: "ADDRESS [ID]",
    description: "Shows what a change did; the latest unless an id is given.",
    examples: ["/diff src/main.c", "/diff src/main.c 17"],
    async plan(args, planned) {
      const place = expectPlace("diff", "ADDRESS [ID]", args[0]);
      expectArguments("diff", "ADDRESS [ID]", args, 1, 2);
      const target = await targetOf(context, place, actorOf(planned));
      if ("block" in target) {
        const run = async (call: CommandCall): Promise<CommandResult> => ({
          text: await context.blocks.diff(target.block, actorOf(call)),
        });
        return { effects: [blockReads(target.block)], run };
      }
      return {
        effects: textReads(context, place),
        run: async (call) => ({ text: await showDiff(context, place, target.route, args[1], actorOf(call)) }),
      };
    },
  };
}

function undoCommand(context: CommandContext): Command {
  return {
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
      const target = await targetOf(context, place, actor, "change");
      if ("block" in target) return planBlockUndo(context, target.block, actor);
      const record = await pickRecord(context, place, target.route, args[1], actor);
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
  };
}

async function showHistory(context: CommandContext, route: Route, actor: Actor): Promise<CommandResult> {
  const { records, pruned } = await findRecords(context, route, actor);
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

async function showDiff(
  context: CommandContext,
  place: string,
  route: Route,
  id: string | undefined,
  actor: Actor,
): Promise<string> {
  if (id !== undefined) {
    const text = /^\d+$/.test(id) ? undefined : await sourceDiff(route, actor, id);
    return text ?? diffOf(await pickRecord(context, place, route, id, actor));
  }
  const { records, pruned } = await findRecords(context, route, actor, 1);
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
  context: CommandContext,
  place: string,
  actor: Actor,
  use: "read" | "change" = "read",
): Promise<{ readonly block: string } | { readonly route: Route }> {
  if (await isBlockLabel(context, place, actor)) return { block: place };
  return { route: await findPlace(context, place, actor, use) };
}

function blockReads(label: string): Effect {
  return { action: "read", target: blockTarget(label) };
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
