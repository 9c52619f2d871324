import { type AnyTool, defineTool, IkigaiError, type PlanContext } from "@ikigai/core";
import {
  absent,
  createPlanner,
  type Plan,
  refusing,
  requireCapability,
  type Route,
  type SourceManager,
} from "@ikigai/core/host";
import { z } from "zod";
import { absentFile, callOptions } from "./file-access.ts";

const input = z.strictObject({
  from: z.string().describe("Where it is: a path or an address"),
  to: z.string().describe("Where it goes: a path or an address that nothing is at yet"),
});

const output = z.strictObject({ from: z.string(), to: z.string(), version: z.string() });

type Input = z.output<typeof input>;

/** What the call was judged for: both places themselves, since a path can come to mean another one before the call runs. */
interface Moves {
  readonly source: Route;
  readonly target: Route;
  /** The text as the plan saw it. Absent: there is none. */
  readonly moved?: { readonly text: string; readonly version: string };
}

/**
 * Moves or renames a text, also from one source to another.
 *
 * Contract: never replaces a text. When the old place cannot be cleared, what was written at the new one is removed again.
 */
export function createFileMove(sources: SourceManager): AnyTool {
  async function plan({ from, to }: Input, context: PlanContext): Promise<Plan<Moves>> {
    const { source, target } = ends(from, to);
    const options = callOptions(context);
    const current = await requireCapability(source, "remove").read(source.address.path, options);
    if (current === undefined) return absent(source.uri, { source, target });
    const present = await requireCapability(target, "write").read(target.address.path, options);
    if (present !== undefined) return refusing(target.uri, taken(target.uri), source.uri);
    return {
      effects: [
        { action: "read", target: source.uri },
        { action: "create", target: target.uri },
        { action: "delete", target: source.uri },
      ],
      work: () => ({ source, target, moved: current }),
    };
  }
  const planner = createPlanner(plan);

  function ends(from: string, to: string): { readonly source: Route; readonly target: Route } {
    const source = sources.route(from);
    const target = sources.route(to);
    if (source.uri !== target.uri) return { source, target };
    throw new IkigaiError("invalid_input", `${source.uri} is both where the text is and where it is to go`, {
      hint: "Give another place as to.",
    });
  }

  return defineTool({
    name: "file_move",
    title: "Move or rename a file",
    description:
      "Moves or renames a file or a memory text, also between the workspace and memory. Never replaces what is there. " +
      "Links in notes are not rewritten; for a note use rename_note.",
    input,
    output,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    effects: planner.effects,
    async preview(call, context) {
      const planned = await planner.peek(call, context).catch(() => undefined);
      const { source, target } = planned ?? ends(call.from, call.to);
      return { description: `Move ${source.uri} to ${target.uri}` };
    },
    async run(call, context) {
      const { source, target, moved } = await planner.work(call, context);
      if (moved === undefined) throw await absentFile(source, context);
      const options = callOptions(context);
      const writing = requireCapability(target, "write");
      const removing = requireCapability(source, "remove");
      const { version } = await writing
        .write(target.address.path, moved.text, {
          ...options,
          expected: null,
          ...(source.address.mount === target.address.mount && { attributesOf: source.address.path }),
        })
        .catch((cause: unknown) => {
          throw IkigaiError.is(cause, "conflict") ? taken(target.uri, cause) : cause;
        });
      try {
        await removing.remove(source.address.path, { ...options, expected: moved.version });
      } catch (error) {
        await target.source.remove?.(target.address.path, { ...options, expected: version });
        throw error;
      }
      return { from: source.uri, to: target.uri, version };
    },
    toText(data) {
      const { from = "", to = "", version = "" } = data as Partial<z.output<typeof output>>;
      return `Moved ${from} to ${to} (version: ${version}).`;
    },
  });
}

function taken(uri: string, cause?: unknown): IkigaiError {
  return new IkigaiError("conflict", `There is a text at ${uri} already`, {
    hint: "Choose another place, or delete that one first with file_delete.",
    ...(cause !== undefined && { cause }),
  });
}
