import { fileURLToPath } from "node:url";

const entryOf = (path: string): string => JSON.stringify(fileURLToPath(new URL(`../../${path}`, import.meta.url)));

/** The text of a plugin of the user's: each of its texts is a file of one folder, and it has tools of its own. */
export function shelfPlugin(): string {
  return `
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareCodePoints, defineDataBlock, defineTool, IkigaiError } from ${entryOf("packages/core/dist/index.js")};
import { z } from ${entryOf("packages/core/node_modules/zod/index.js")};

const content = (text) => ({ text, version: createHash("sha256").update(text).digest("hex") });
const input = z.strictObject({ name: z.string().min(1), text: z.string().optional() });

export const shelf = defineDataBlock({
  name: "shelf",
  capabilities: ["write", "remove"],
  options: z.object({ folder: z.string() }),
  async open({ folder }) {
    const fileOf = (path) => join(folder, encodeURIComponent(path).slice(0, 200));
    const load = (path) => {
      try {
        return content(readFileSync(fileOf(path), "utf8"));
      } catch {
        return undefined;
      }
    };
    const check = (path, expected) => {
      if (expected === undefined || expected === (load(path)?.version ?? null)) return;
      throw new IkigaiError("conflict", "Read it again");
    };
    return {
      read: async (path) => load(path),
      async *list(prefix) {
        const paths = readdirSync(folder).map(decodeURIComponent).toSorted(compareCodePoints);
        yield* paths.filter((path) => path.startsWith(prefix)).map((path) => ({ path }));
      },
      async write(path, text, { expected, signal } = {}) {
        signal?.throwIfAborted();
        check(path, expected);
        writeFileSync(fileOf(path), text);
        return content(text);
      },
      async remove(path, { expected, signal } = {}) {
        signal?.throwIfAborted();
        if (load(path) === undefined) throw new IkigaiError("not_found", "It is not there");
        check(path, expected);
        rmSync(fileOf(path));
      },
    };
  },
  tools: (source, { mount }) => [
    defineTool({
      name: "shelf_put",
      description: "Puts a text on the shelf.",
      input,
      effects: ({ name }) => [{ action: "update", target: mount + ":///" + name }],
      run: async ({ name, text = "" }, context) => {
        await source.write(name, text, { actor: context, signal: context.signal });
        return "put";
      },
    }),
    defineTool({
      name: "shelf_drop",
      description: "Takes a text off the shelf.",
      input,
      effects: ({ name }) => [{ action: "delete", target: mount + ":///" + name }],
      run: async ({ name }, context) => {
        await source.remove(name, { actor: context, signal: context.signal });
        return "dropped";
      },
    }),
  ],
});
`;
}
