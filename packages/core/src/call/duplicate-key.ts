/** Strings, brackets and commas: all that is needed to know which key belongs to which object. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/**
 * A key that one object of valid JSON has twice, if there is one. `JSON.parse` takes the last and says nothing.
 *
 * Contract: linear; keys are compared as they are meant, not as they are spelt.
 */
export function findDuplicateKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last: string | undefined;
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const key = JSON.parse(last as string) as string;
      const keys = open.at(-1) as Set<string>;
      if (keys.has(key)) return key;
      keys.add(key);
    }
    last = token;
  }
  return undefined;
}
