const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const DESCRIPTION = /^description:[ \t]*(.*(?:\r?\n[ \t]+\S.*)*)/m;
const MAX_LENGTH = 1_000;

/** The description in a text's front matter, on one line. Contract: absent when there is none; never throws. */
export function frontDescription(text: string): string | undefined {
  const front = FRONT_MATTER.exec(text)?.[1];
  const value = front === undefined ? undefined : DESCRIPTION.exec(front)?.[1];
  if (value === undefined) return undefined;
  const line = value
    .replace(/^[>|][+-]?[ \t]*(?=\r?\n)/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const plain = /^(["'])(.*)\1$/.exec(line)?.[2] ?? line;
  return plain === "" ? undefined : plain.slice(0, MAX_LENGTH).toWellFormed();
}
