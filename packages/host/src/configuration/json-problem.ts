/** Where a text stops being JSON, and what is wrong there. */
export interface JsonProblem {
  /** Counted from 1. */
  readonly line: number;
  /** Column in characters, counted from 1. */
  readonly column: number;
  readonly what: string;
}

/** Contract: undefined exactly for what `JSON.parse` reads. */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const found = scan(text);
  if (found === undefined) return undefined;
  const before = text.slice(0, found.at).split("\n");
  return { line: before.length, column: (before.at(-1) as string).length + 1, what: found.what };
}

/** Describes a problem as the end of a sentence, such as `line 2, column 7: a value is expected, not "}"`. */
export function describeJsonProblem(text: string): string {
  const problem = findJsonProblem(text);
  return problem === undefined
    ? "it cannot be read"
    : `line ${problem.line}, column ${problem.column}: ${problem.what}`;
}

interface Found {
  readonly at: number;
  readonly what: string;
}

const SPACE = /[ \t\n\r]*/y;
// oxlint-disable-next-line no-control-regex
const STRING = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Token that the grammar of JSON expects next. */
type Wanted = "value" | "value or ]" | "name" | "name or }" | "colon" | "more" | "nothing";

const WORDS: Readonly<Record<Wanted, string>> = {
  value: "a value is expected",
  "value or ]": "a value or ] is expected",
  name: "a name in double quotes is expected",
  "name or }": "a name in double quotes or } is expected",
  colon: "a colon is expected",
  more: "a comma or the end of the list or object is expected",
  nothing: "nothing more is expected",
};

function scan(text: string): Found | undefined {
  const open: ("{" | "[")[] = [];
  let at = 0;
  let wanted: Wanted = "value";

  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found = ""] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  };
  const afterValue = (): Wanted => (open.length === 0 ? "nothing" : "more");

  for (take(SPACE); at < text.length; take(SPACE)) {
    const char = text[at] as string;
    if (char === '"' && wanted !== "colon" && wanted !== "more" && wanted !== "nothing") {
      take(STRING);
      if (text[at] !== '"') return { at, what: stringProblem(text[at]) };
      at++;
      wanted = wanted.startsWith("name") ? "colon" : afterValue();
    } else if (char === ":" && wanted === "colon") {
      at++;
      wanted = "value";
    } else if (char === "," && wanted === "more") {
      at++;
      wanted = open.at(-1) === "{" ? "name" : "value";
    } else if (isEnd(char, wanted, open.at(-1))) {
      at++;
      open.pop();
      wanted = afterValue();
    } else if (wanted.startsWith("value") && (char === "{" || char === "[")) {
      at++;
      open.push(char);
      wanted = char === "{" ? "name or }" : "value or ]";
    } else {
      const isScalar = wanted.startsWith("value") && take(SCALAR) !== "";
      if (!isScalar)
        return {
          at,
          what: `${WORDS[wanted]}, not ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) as number))}`,
        };
      wanted = afterValue();
    }
  }
  return wanted === "nothing"
    ? undefined
    : { at, what: `the text ends where ${WORDS[wanted].replace(" is expected", "")} should be` };
}

function isEnd(char: string, wanted: Wanted, inside: "{" | "[" | undefined): boolean {
  if (char === "}") return inside === "{" && (wanted === "more" || wanted === "name or }");
  return char === "]" && inside === "[" && (wanted === "more" || wanted === "value or ]");
}

function stringProblem(char: string | undefined): string {
  if (char === undefined) return "the text ends inside of a string";
  return char === "\\"
    ? "the string has an escape that JSON does not know"
    : "the string has a line break or control character";
}
