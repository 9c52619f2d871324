import type { TextContent } from "../../source/source.ts";
import type { GoodSource, Mutation } from "./mutation.ts";

/** Sources that find text where there is none, lose it, or mix it up. */
export const SPELLING_MUTANTS: Readonly<Record<string, Mutation>> = {
  "read ignores case": finding((path, asked) => path.toLowerCase() === asked.toLowerCase()),
  "read compares paths after NFC": finding((path, asked) => path.normalize("NFC") === asked.normalize("NFC")),
  "read trims the path": finding((path, asked) => path === asked.trim()),
  "read decodes the path": finding(
    (path, asked) => path === asked.replaceAll("%2F", "/").replaceAll("%20", " ").replaceAll("%C3%A9", "é"),
  ),
  "read looks for the name in any folder": finding((path, asked) => path.endsWith(`/${asked}`)),
  "read looks for the beginning": finding((path, asked) => path.startsWith(asked)),
  "read adds an extension": finding((path, asked) => path === `${asked}.md`),
  "read drops an unknown extension": finding((path, asked) => path === asked.replace(/\.bak$/, "")),
  "read drops an unknown folder": finding((path, asked) => path === asked.replace(/^x\//, "")),
  "read takes question marks for any letter": finding(
    (path, asked) =>
      asked.includes("?") &&
      path.length === asked.length &&
      Array.from(asked).every((one, at) => one === "?" || one === path[at]),
  ),
  "read gives a folder's list": (good) => ({
    async read(path) {
      const found = await good.read(path);
      if (found !== undefined) return found;
      const inside: string[] = [];
      for await (const entry of good.list(`${path}/`)) inside.push(entry.path);
      return inside.length === 0 ? undefined : { text: inside.join("\n"), version: String(inside.length) };
    },
  }),
  "read gives an empty text for absent": (good) => ({
    read: async (path) => (await good.read(path)) ?? { text: "", version: "0" },
  }),
  "read ignores the path": (good) => ({
    async read(path) {
      for await (const entry of good.list("")) return good.read(entry.path);
      return good.read(path);
    },
  }),
  "read remembers what was absent": (good) => {
    const absent = new Set<string>();
    return {
      async read(path) {
        const found = absent.has(path) ? undefined : await good.read(path);
        if (found === undefined) absent.add(path);
        return found;
      },
    };
  },
  "read remembers the text for ever": (good) => {
    const known = new Map<string, TextContent>();
    return {
      async read(path) {
        const found = known.get(path) ?? (await good.read(path));
        if (found !== undefined) known.set(path, found);
        return found;
      },
    };
  },
  "reads at once get one text": (good) => {
    let last: Promise<TextContent | undefined> | undefined;
    return {
      async read(path) {
        const mine = last ?? (last = good.read(path));
        await new Promise(setImmediate);
        last = undefined;
        return mine;
      },
    };
  },
  "read folds CRLF": reading((text) => text.replaceAll("\r\n", "\n")),
  "read trims": reading((text) => text.trim()),
  "read ends every text with a line end": reading((text) => (text.endsWith("\n") ? text : `${text}\n`)),
  "read cuts above 1 MiB": reading((text) => text.slice(0, 1_048_576)),
  "read breaks letters at the ends of blocks": reading((text) => {
    const bytes = Buffer.from(text);
    let whole = "";
    for (let at = 0; at < bytes.length; at += 65_536) whole += bytes.subarray(at, at + 65_536).toString("utf8");
    return text.isWellFormed() ? whole : text;
  }),
  "read puts JSON in order": reading((text) => (text.startsWith("{") ? JSON.stringify(JSON.parse(text)) : text)),
  "close never ends": () => ({ close: () => new Promise(() => {}) }),
};

/** Finds the text of the first path that `matches` what was asked, when nothing is at that path itself. */
function finding(matches: (path: string, asked: string) => boolean): Mutation {
  return (good: GoodSource) => ({
    async read(asked) {
      const found = await good.read(asked);
      if (found !== undefined) return found;
      for await (const { path } of good.list("")) if (matches(path, asked)) return good.read(path);
      return undefined;
    },
  });
}

function reading(change: (text: string) => string): Mutation {
  return (good) => ({
    async read(path) {
      const found = await good.read(path);
      return found && { ...found, text: change(found.text) };
    },
  });
}
