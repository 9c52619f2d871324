import {
  type AnyTool,
  type TextContent,
  defineTool,
  IkigaiError,
  type PlanContext,
  type ToolContext,
} from "@ikigai/core";
import {
  absent,
  createPlanner,
  type Plan,
  refusing,
  requireCapability,
  type Route,
  type SeenVersions,
  type SourceManager,
} from "@ikigai/core/host";
import { z } from "zod";
import { assertNoNul } from "../text/assert-no-nul.ts";
import { absentError, absentFile, callOptions } from "./file-access.ts";
import { createQueueByKey } from "../queue-by-key.ts";
import { applyReplacements, assertReplaceable, findReplacements, type Replacement } from "../text/replace-text.ts";

const input = z.strictObject({
  path: z.string().describe("A path, or an address such as ikigai:///blocks/prefs.md"),
  old: z.string().describe("The passage to replace, exactly as it stands, long enough to stand only once"),
  new: z.string().describe("What stands there afterwards"),
  replace_all: z.boolean().optional().describe("Replace every match. Default false: there must be exactly one"),
});

const output = z.strictObject({ version: z.string(), replacements: z.int() });

type Input = z.output<typeof input>;
type Output = z.output<typeof output>;

const MAX_TRIES = 50;

/** What the plan saw, and how many edits had been made by then. */
interface Seen {
  /** The place itself: a path can come to mean another one before the call runs. */
  readonly route: Route;
  readonly current: TextContent | undefined;
  readonly writtenBefore: number;
}

/**
 * Replaces a passage of a text wherever it is kept.
 *
 * Contract: needs no prior read, because `old` is the check; when somebody else writes at the same time, the passage is
 * looked for again in their text, so no acknowledged change of either is lost.
 */
export function createFileEdit(sources: SourceManager, seen: SeenVersions): AnyTool {
  const queue = createQueueByKey();
  let written = 0;

  async function plan(call: Input, context: PlanContext): Promise<Plan<Seen>> {
    assertReplaceable(call.old, call.new);
    assertNoNul("new", call.new);
    const route = sources.route(call.path);
    const { uri, address } = route;
    const writtenBefore = written;
    const current = await requireCapability(route, "write").read(address.path, callOptions(context));
    if (current === undefined) return absent(uri, { route, current, writtenBefore });
    const failure = problemOf(current, uri, call);
    return failure === undefined
      ? { effects: [{ action: "update", target: uri }], work: () => ({ route, current, writtenBefore }) }
      : refusing(uri, failure);
  }
  const planner = createPlanner(plan);

  async function edit(call: Input, context: ToolContext, planned: Seen): Promise<Output> {
    const { route } = planned;
    const { uri, address } = route;
    const writing = requireCapability(route, "write");
    const options = callOptions(context);
    if (planned.current === undefined) throw await absentFile(route, context);
    // Nothing was edited here since the plan, so it mostly still holds; the storage refuses the write when it does not.
    let known = planned.writtenBefore === written ? planned.current : undefined;
    for (let tries = 1; ; tries++) {
      context.signal.throwIfAborted();
      const current = known ?? (await writing.read(address.path, options));
      known = undefined;
      if (current === undefined) throw await absentFile(route, context);
      const found = locate(current.text, uri, call);
      try {
        const text = applyReplacements(current.text, found);
        const { version } = await writing.write(address.path, text, { ...options, expected: current.version });
        written++;
        seen.noteWritten(context, uri, version, current.version);
        return { version, replacements: found.length };
      } catch (cause) {
        if (!IkigaiError.is(cause, "conflict")) throw cause;
        if (tries === MAX_TRIES) throw tooBusy(uri, cause);
      }
    }
  }

  return defineTool({
    name: "file_edit",
    title: "Edit a file",
    description:
      "Replaces a passage of a file or a memory text. It must stand there exactly once, unless replace_all. Needs no " +
      "prior read. In a text with CRLF endings old and new may be given with LF.",
    input,
    output,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    effects: planner.effects,
    async preview(call, context) {
      const planned = await planner.peek(call, context).catch(() => undefined);
      const { source, address, uri } = planned?.route ?? sources.route(call.path);
      const before = (await source.read(address.path, callOptions(context)))?.text;
      if (before === undefined) throw absentError(uri);
      const found = locate(before, uri, call);
      return { description: `Edit ${uri}`, before, after: applyReplacements(before, found), count: found.length };
    },
    async run(call, context) {
      const planned = await planner.work(call, context);
      using _turn = await queue.enter(planned.route.uri);
      return await edit(call, context, planned);
    },
  });
}

function problemOf(current: TextContent, uri: string, call: Input): Error | undefined {
  try {
    locate(current.text, uri, call);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function locate(text: string, uri: string, call: Input): Replacement[] {
  return findReplacements(text, call.old, call.new, {
    name: uri,
    all: call.replace_all ?? false,
    severalHint: "Give more of the surrounding text so that it stands only once, or set replace_all.",
  });
}

function tooBusy(uri: string, cause: unknown): IkigaiError {
  return new IkigaiError("conflict", `${uri} was changed by others ${MAX_TRIES} times while it was being edited`, {
    hint: "Try again later.",
    cause,
  });
}
