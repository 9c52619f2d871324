import type { CallPart } from "../messages.ts";

/** Notices a model that goes in circles. */
export interface RepeatedCalls {
  /** How many times in a row this very call was made, this one included. */
  count(call: CallPart): number;
}

export function watchRepeats(): RepeatedCalls {
  let last = "";
  let times = 0;
  return {
    count({ name, arguments: input }) {
      const key = `${name} ${canonical(input)}`;
      times = key === last ? times + 1 : 1;
      last = key;
      return times;
    },
  };
}

/** The same arguments in another order are the same call. */
function canonical(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  } catch {
    return text;
  }
}
