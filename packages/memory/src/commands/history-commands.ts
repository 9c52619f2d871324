import { type Actor, type Command, IkigaiError, requireCapability, type Route } from "@ikigai/core";
import type { JournalRecord } from "../journal.ts";
import { createUnifiedDiff } from "../unified-patch.ts";
import { type CommandContext, expectArguments, isBlock, findPlace, textReads } from "./command-context.ts";

const UNDO = "undo of ";

/** `/history`, `/diff` and `/undo`: the same for files, assets and notes. */
export function historyCommands(context: CommandContext): Command[] {
  const { journal, blocks } = context;

  async function recordsOf(place: string, actor: Actor): Promise<{ route: Route; records: readonly JournalRecord[] }> {
    const route = await findPlace(context, place, actor);
    const owner = context.ownerOf(route.address.mount, actor);
    return { route, records: await journal.history(route.uri, { owner }) };
  }

  async function pick(
    place: string,
    id: string | undefined,
    actor: Actor,
  ): Promise<{ route: Route; record: JournalRecord }> {
    const { route, records } = await recordsOf(place, actor);
    const record = id === undefined ? nextToUndo(records) : records.find((one) => one.id === id);
    if (record !== undefined) return { route, record };
    const what = id !== undefined ? `no entry ${id}` : records.length === 0 ? "no change" : "nothing more to undo";
    throw new IkigaiError("not_found", `The journal has ${what} of ${route.uri}`, { hint: `See /history ${place}` });
  }

  return [
    {
      name: "history",
      usage: "ADDRESS",
      description: "Shows who changed a text, when, with which tool and why.",
      examples: ["/history src/main.c", "/history skills/ddd"],
      effects: async ([place = ""]) => textReads(context, place),
      async run(args, actor) {
        expectArguments("history", "ADDRESS", args, 1, 1);
        const [place = ""] = args;
        if (await isBlock(context, place, actor)) {
          const changes = await blocks.history(place, actor);
          return {
            text: changes
              .map(({ at, author, message }) => `${at.toISOString()}  ${author ?? "-"}  ${message ?? ""}`)
              .join("\n"),
            data: changes,
          };
        }
        const { route, records } = await recordsOf(place, actor);
        if (records.length === 0) return { text: `${route.uri} was not changed through the tools.`, data: [] };
        return { text: records.map(line).join("\n"), data: records };
      },
    },
    {
      name: "diff",
      usage: "ADDRESS [ID]",
      description: "Shows what a change did; the latest unless an id is given.",
      examples: ["/diff src/main.c", "/diff src/main.c 17"],
      effects: async ([place = ""]) => textReads(context, place),
      async run(args, actor) {
        expectArguments("diff", "ADDRESS [ID]", args, 1, 2);
        const [place = "", id] = args;
        if (await isBlock(context, place, actor)) return { text: await blocks.diff(place, actor) };
        const { records, route } = await recordsOf(place, actor);
        const record = id === undefined ? records[0] : (await pick(place, id, actor)).record;
        if (record === undefined) throw new IkigaiError("not_found", `The journal has no change of ${route.uri}`);
        return { text: diffOf(record) };
      },
    },
    {
      name: "undo",
      usage: "ADDRESS [ID]",
      description:
        "Takes a change back, if nothing changed since; the latest that is not undone unless an id is given.",
      examples: ["/undo src/main.c", "/undo skills/ddd 17"],
      async effects([place = "", id], actor) {
        if (await isBlock(context, place, actor)) return [{ action: "update", target: `block:///${place}` }];
        const { route, record } = await pick(place, id, actor);
        const action = record.before === undefined ? "delete" : record.after === undefined ? "create" : "update";
        return [...textReads(context, place), { action, target: route.uri }];
      },
      async run(args, actor) {
        expectArguments("undo", "ADDRESS [ID]", args, 1, 2);
        const [place = "", id] = args;
        if (await isBlock(context, place, actor)) {
          await blocks.edit(place, { op: "undo" }, actor);
          return { text: `Took back the last edit of ${place}.` };
        }
        const { route, record } = await pick(place, id, actor);
        await takeBack(route, record, actor);
        return { text: `Took back change ${record.id} of ${route.uri}.` };
      },
    },
  ];
}

/** The latest change that is neither an undo nor undone. */
function nextToUndo(records: readonly JournalRecord[]): JournalRecord | undefined {
  const undone = new Set(
    records.flatMap(({ reason }) => (reason?.startsWith(UNDO) === true ? [reason.slice(UNDO.length)] : [])),
  );
  return records.find(({ id, reason }) => !undone.has(id) && reason?.startsWith(UNDO) !== true);
}

/** Contract: `conflict` unless the text is exactly as the change left it. */
async function takeBack(
  { source, address, uri }: Route,
  { id, before, after }: JournalRecord,
  actor: Actor,
): Promise<void> {
  const present = await source.read(address.path, { actor });
  if (present?.text !== after?.text) {
    throw new IkigaiError("conflict", `${uri} was changed after entry ${id}`, {
      hint: "Undo the later changes first, or edit it by hand.",
    });
  }
  const reason = `${UNDO}${id}`;
  const route = { address, uri, source, permission: "admin" as const };
  if (before === undefined) {
    await requireCapability(route, "remove").remove(address.path, {
      actor,
      reason,
      ...(present && { expected: present.version }),
    });
  } else {
    await requireCapability(route, "write").write(address.path, before.text, {
      actor,
      reason,
      expected: present?.version ?? null,
    });
  }
}

function line({ id, at, agent, tool, reason, before, after, state }: JournalRecord): string {
  const what = before === undefined ? "created" : after === undefined ? "removed" : "changed";
  const open = state === "intended" ? "  (announced, its end is not known)" : "";
  return `${id.padStart(6)}  ${at.toISOString()}  ${agent}  ${tool ?? "-"}  ${what}${reason === undefined ? "" : `  ${reason}`}${open}`;
}

function diffOf({ uri, before, after }: JournalRecord): string {
  return createUnifiedDiff(before?.text ?? "", after?.text ?? "", { before: uri, after: uri });
}
