import { type AnyTool, defineTool, IkigaiError } from "@ikigai/core";
import { createPlanner, type Plan, type Route, type SeenVersions, type SourceManager } from "@ikigai/core/host";
import { countLines, sliceLines } from "@ikigai/core/text";
import { z } from "zod";
import { absentFile, callOptions } from "./file-access.ts";
import { countOf } from "../text/count-of.ts";
import { textWithVersion } from "./text-with-version.ts";

const input = z.strictObject({
  path: z.string().describe("A path such as src/main.c, an address, or a short address such as blocks/decisions"),
  offset: z.int().min(1).optional().describe("First line to read, counted from 1. Default: the first"),
  limit: z.int().min(1).optional().describe("How many lines to read. Default: all"),
  column: z.int().min(1).optional().describe("First character to read of the first line, to go on in a cut line"),
});

const output = z.strictObject({
  content: z.string(),
  version: z.string(),
  total_lines: z.int(),
  line_chars: z.int().optional().describe("Characters of the first line, when it is a long one"),
});

/** A line with more characters than this may be too long for one answer, so its length is told. */
const LONG_LINE = 1_000;

/** Reads text wherever it is kept. */
export function createFileRead(sources: SourceManager, seen: SeenVersions): AnyTool {
  const planner = createPlanner(async ({ path }: z.output<typeof input>): Promise<Plan<Route>> => {
    const route = sources.route(path);
    return { effects: [{ action: "read", target: route.uri }], work: () => route };
  });

  return defineTool({
    name: "file_read",
    title: "Read a file",
    description:
      "Reads a file, or a memory text at an address such as ikigai:///blocks/decisions.md. Gives the text, its version, " +
      "and how many lines it has. Use offset and limit for a part of a long text.",
    input,
    output,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: planner.effects,
    async run(call, context) {
      const { offset = 1, limit = Number.POSITIVE_INFINITY, column = 1 } = call;
      const route = await planner.work(call, context);
      const { source, address, uri } = route;
      const found = await source.read(address.path, callOptions(context));
      if (found === undefined) throw await absentFile(route, context);
      const lines = countLines(found.text);
      if (offset > Math.max(lines, 1)) {
        throw new IkigaiError("invalid_input", `${uri} has ${countOf(lines, "line")}, so none from line ${offset} on`, {
          hint: `Use an offset from 1 to ${Math.max(lines, 1)}.`,
        });
      }
      const asked = sliceLines(found.text, offset, limit);
      const lineChars = firstLineLength(asked);
      if (column > lineChars + 1) {
        const length = countOf(lineChars, "character");
        throw new IkigaiError(
          "invalid_input",
          `Line ${offset} of ${uri} has ${length}, so none from column ${column} on`,
          {
            hint: `Use a column from 1 to ${lineChars + 1}.`,
          },
        );
      }
      seen.note(context, uri, found.version);
      return {
        content: asked.slice(column - 1),
        version: found.version,
        total_lines: lines,
        ...(lineChars > LONG_LINE && { line_chars: lineChars }),
      };
    },
    toText: textWithVersion,
  });
}

/** Characters before the first line's ending. */
function firstLineLength(text: string): number {
  const newline = text.indexOf("\n");
  return newline === -1 ? text.length : newline;
}
