import { type AnyTool, defineTool, IkigaiError, type PlanContext } from "@ikigai/core";
import { absent, createPlanner, type Plan, requireCapability, type Route, type SourceManager } from "@ikigai/core/host";
import { z } from "zod";
import { absentFile, callOptions } from "./file-access.ts";

const input = z.strictObject({
  path: z.string().describe("A path such as docs/old.md, or an address such as ikigai:///blocks/old.md"),
});

const output = z.strictObject({ deleted: z.string().describe("Its address") });

type Input = z.output<typeof input>;

/** What the call was judged for: the place itself, since a path can come to mean another one before the call runs. */
interface Deletes {
  readonly route: Route;
  /** Absent: there is nothing. */
  readonly version?: string;
}

/**
 * Deletes a text wherever it is kept.
 *
 * Contract: deletes the version that was there when the call was judged, and `conflict` when it changed since.
 */
export function createFileDelete(sources: SourceManager): AnyTool {
  async function plan({ path }: Input, context: PlanContext): Promise<Plan<Deletes>> {
    const route = sources.route(path);
    const { uri, address } = route;
    const current = await requireCapability(route, "remove").read(address.path, callOptions(context));
    if (current === undefined) return absent(uri, { route });
    return { effects: [{ action: "delete", target: uri }], work: () => ({ route, version: current.version }) };
  }
  const planner = createPlanner(plan);

  return defineTool({
    name: "file_delete",
    title: "Delete a file",
    description: "Deletes the file or the memory text at a path or an address. undo brings it back.",
    input,
    output,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    effects: planner.effects,
    async preview(call, context) {
      const { source, address, uri } = (await planner.peek(call, context)).route;
      const before = (await source.read(address.path, callOptions(context)))?.text;
      return { description: `Delete ${uri}`, ...(before !== undefined && { before, after: "" }) };
    },
    async run(call, context) {
      const { route, version: expected } = await planner.work(call, context);
      const { uri, address } = route;
      if (expected === undefined) throw await absentFile(route, context);
      await requireCapability(route, "remove")
        .remove(address.path, { ...callOptions(context), expected })
        .catch((cause: unknown) => {
          if (!IkigaiError.is(cause, "conflict")) throw cause;
          throw new IkigaiError("conflict", `${uri} was changed meanwhile, and was not deleted`, {
            hint: "Read it again, then decide.",
            cause,
          });
        });
      return { deleted: uri };
    },
    toText: (data) => `Deleted ${(data as { readonly deleted?: string }).deleted ?? ""}.`,
  });
}
