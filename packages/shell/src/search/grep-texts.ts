import { type Actor, IkigaiError } from "@ikigai/core";
import type { Route } from "@ikigai/core/host";
import { countLines } from "@ikigai/core/text";
import { type GrepQuery, searchFlags } from "./grep-files.ts";
import type { GrepResults } from "./grep-results.ts";
import { entriesBelow } from "./list-below.ts";
import { createPlainLines, stretchOfLine } from "./plain-lines.ts";
import { runRipgrep } from "./ripgrep.ts";

/**
 * Searches the texts of a source that is not a folder of this machine: they are read one after the other and handed to
 * ripgrep as one stream, so that patterns mean the same everywhere and nothing is written to disk.
 */
export async function grepTexts(route: Route, query: GrepQuery, results: GrepResults, actor: Actor): Promise<void> {
  const starts: { readonly path: string; readonly first: number }[] = [];
  let lines = 0;
  let found = false;

  async function* texts(): AsyncGenerator<string> {
    for await (const { entry, below } of entriesBelow(route, { signal: query.signal, actor })) {
      found = true;
      if (query.glob?.matches(below) === false) continue;
      const content = await route.source.read(entry.path, { signal: query.signal, actor });
      if (content === undefined || content.text === "") continue;
      const text = content.text.endsWith("\n") ? content.text : `${content.text}\n`;
      starts.push({ path: entry.path, first: lines + 1 });
      lines += countLines(text);
      yield text;
    }
  }

  /** The text that a line of the stream belongs to: the last one that does not start behind it. */
  function textAt(line: number): { readonly path: string; readonly first: number } {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as { first: number }).first <= line) low = middle;
      else high = middle - 1;
    }
    return starts[low] as { path: string; first: number };
  }

  await runRipgrep({
    args: ["--text", ...searchFlags(query), "--", "-"],
    cwd: "/",
    input: texts(),
    separator: "\n",
    onPiece: createPlainLines({
      onFile: () => {},
      onLine(isMatch, read) {
        if (isMatch) results.countMatch();
        const line = read();
        const text = textAt(line.line);
        if (results.wants(text.path)) results.add(text.path, { ...line, line: line.line - text.first + 1 });
      },
    }),
    stretchOf: stretchOfLine,
    signal: query.signal,
  });
  if (!found && route.address.path !== "") throw nothingThere(route.uri);
}

function nothingThere(uri: string): IkigaiError {
  return new IkigaiError("not_found", `There is nothing at ${uri}`, { hint: "List the mount with glob." });
}
