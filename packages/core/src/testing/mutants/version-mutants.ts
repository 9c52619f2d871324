import { createHash } from "node:crypto";
import { IkigaiError } from "../../errors.ts";
import type { Mutation } from "./mutation.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The reference source with versions that `hash` makes of the text. */
export function versionedBy(hash: (text: string) => string): Mutation {
  return (good) => {
    const check = async (path: string, expected: string | null | undefined): Promise<string | null> => {
      const found = await good.read(path);
      if (expected !== undefined && expected !== (found === undefined ? null : hash(found.text))) {
        throw new IkigaiError("conflict", path);
      }
      return found?.version ?? null;
    };
    return {
      async read(path) {
        const found = await good.read(path);
        return found && { text: found.text, version: hash(found.text) };
      },
      async write(path, text, { expected, ...rest } = {}) {
        const real = await check(path, expected);
        await good.write(path, text, expected === undefined ? rest : { ...rest, expected: real });
        return { text, version: hash(text) };
      },
      async remove(path, { expected, ...rest } = {}) {
        if ((await good.read(path)) === undefined) throw new IkigaiError("not_found", path);
        const real = await check(path, expected);
        await good.remove(path, expected === undefined || real === null ? rest : { ...rest, expected: real });
      },
      async *history(path) {
        for await (const one of good.history(path)) yield { ...one, version: hash(one.text) };
      },
    };
  };
}

/** A hash of the whole text is a good version: the suite must let it pass. */
export const HONEST_HASH: Mutation = versionedBy(sha);

/** Sources whose version does not change with every change of the text. */
export const VERSION_MUTANTS: Readonly<Record<string, Mutation>> = {
  "version is a hash of the first 1,024 characters": versionedBy((text) => sha(text.slice(0, 1_024))),
  "version is a hash of the first 64 KiB": versionedBy((text) => sha(text.slice(0, 65_536))),
  "version is a hash of the last 1,024 characters": versionedBy((text) => sha(text.slice(-1_024))),
  "version folds CRLF": versionedBy((text) => sha(text.replaceAll("\r\n", "\n"))),
  "version folds CR": versionedBy((text) => sha(text.replaceAll("\r", "\n"))),
  "version folds NFC": versionedBy((text) => sha(text.normalize("NFC"))),
  "version folds ligatures": versionedBy((text) => sha(text.normalize("NFKC"))),
  "version folds case": versionedBy((text) => sha(text.toLowerCase())),
  "version trims": versionedBy((text) => sha(text.trim())),
  "version leaves out a byte order mark": versionedBy((text) => sha(text.replace(/^\uFEFF/, ""))),
  "version is the length": versionedBy((text) => String(text.length)),
  "version is the sum of the letters": versionedBy((text) =>
    String(Array.from(text).reduce((sum, letter) => sum + letter.charCodeAt(0), 0)),
  ),
  "version is both ends and the length": versionedBy((text) =>
    sha(`${text.length}${text.slice(0, 100)}${text.slice(-100)}`),
  ),
  "version is always the same": versionedBy(() => "1"),
};
