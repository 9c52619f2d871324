import { type AnyTool, defineTool, IkigaiError, type PlanContext } from "@ikigai/core";
import {
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
import { callOptions } from "./file-access.ts";

const input = z.strictObject({
  path: z.string().describe("A path such as docs/api.md, or an address such as ikigai:///blocks/patterns.md"),
  content: z.string().describe("The whole new text"),
  expected: z
    .string()
    .optional()
    .describe("The version being replaced, as file_read gave it. Needed when this conversation did not read it"),
});

const output = z.strictObject({ version: z.string() });

type Input = z.output<typeof input>;
/** The place and version that the write was judged for. */
interface Replaces {
  /** The place itself: a path can come to mean another one before the call runs. */
  readonly route: Route;
  /** The version that the write will replace; `null` when there is to be none. */
  readonly expected: string | null;
}

/**
 * Writes a whole text wherever it is kept.
 *
 * Contract: replaces only the version that was named or last seen in this conversation; whether the call creates or
 * updates is decided before it is approved, and the storage holds it to that.
 */
export function createFileWrite(sources: SourceManager, seen: SeenVersions): AnyTool {
  async function plan({ path, content, expected }: Input, context: PlanContext): Promise<Plan<Replaces>> {
    assertNoNul("content", content);
    const route = sources.route(path);
    const { uri, address } = route;
    const current = await requireCapability(route, "write").read(address.path, callOptions(context));
    if (current === undefined) {
      if (expected !== undefined) return refusing(uri, changed(uri, "it does not exist"));
      return { effects: [{ action: "create", target: uri }], work: () => ({ route, expected: null }) };
    }
    const { version } = current;
    if (expected !== undefined && expected !== version) {
      return refusing(uri, changed(uri, `it is at version ${version}, not ${expected}`));
    }
    if (expected === undefined && !seen.saw(context, uri, version)) return refusing(uri, unseen(uri));
    return { effects: [{ action: "update", target: uri }], work: () => ({ route, expected: version }) };
  }
  const planner = createPlanner(plan);

  return defineTool({
    name: "file_write",
    title: "Write a file",
    description:
      "Writes a whole file or memory text, and creates it when there is none. A text that exists must have been read in " +
      "this conversation in its present version; to change a part prefer file_edit.",
    input,
    output,
    annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    effects: planner.effects,
    async preview(call, context) {
      const { content } = call;
      // A call that will be refused still has a preview.
      const planned = await planner.peek(call, context).catch(() => undefined);
      const { source, address, uri } = planned?.route ?? sources.route(call.path);
      const before = (await source.read(address.path, callOptions(context)))?.text;
      if (before === undefined) return { description: `Create ${uri}`, after: content };
      return { description: `Replace the whole of ${uri}`, before, after: content };
    },
    async run(call, context) {
      const { route, expected } = await planner.work(call, context);
      const { uri, address } = route;
      const writing = requireCapability(route, "write");
      const written = await writing
        .write(address.path, call.content, { ...callOptions(context), expected })
        .catch((cause: unknown) => {
          if (!IkigaiError.is(cause, "conflict")) throw cause;
          throw changed(uri, expected === null ? "it was created meanwhile" : "it was changed meanwhile", cause);
        });
      seen.noteWritten(context, uri, written.version);
      return { version: written.version };
    },
  });
}

function unseen(uri: string): IkigaiError {
  return new IkigaiError("conflict", `${uri} exists and this conversation has not seen its present text`, {
    hint:
      "Read it with file_read, then write with `expected` set to the version that file_read gave, or change a part of " +
      "it with file_edit.",
  });
}

function changed(uri: string, how: string, cause?: unknown): IkigaiError {
  return new IkigaiError("conflict", `${uri} is not what was expected: ${how}`, {
    hint: "Read it again with file_read, then decide what to write.",
    ...(cause !== undefined && { cause }),
  });
}
