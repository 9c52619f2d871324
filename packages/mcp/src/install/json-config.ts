import { IkigaiError } from "@ikigai/core";

const BOM = "\uFEFF";

/**
 * A JSON file, comments and all, with the value at `at` set or, for `undefined`, removed.
 *
 * Contract: every character outside the changed property stays as it was. Text that is not JSON with comments, or that
 * holds something else than an object where one is needed, is `invalid_input`.
 */
export async function editJson(text: string, at: readonly [string, string], value: unknown): Promise<string> {
  const { applyEdits, modify, parse } = await import("jsonc-parser");
  const body = text.startsWith(BOM) ? text.slice(1) : text;
  const source = body.trim() === "" ? "{}\n" : body;
  const errors: { offset: number }[] = [];
  const root: unknown = parse(source, errors, { allowTrailingComma: true, disallowComments: false });
  const [fault] = errors;
  if (fault !== undefined) throw unreadable(`it is not JSON at character ${fault.offset}`);
  if (!isObject(root)) throw unreadable("it does not hold an object");
  const [key, name] = at;
  const servers = root[key];
  if (servers !== undefined && !isObject(servers)) throw unreadable(`"${key}" does not hold an object`);
  if (value === undefined && (servers === undefined || !Object.hasOwn(servers, name))) return text;
  const edits = modify(source, [...at], value, { formattingOptions: formatOf(source) });
  return `${text.startsWith(BOM) ? BOM : ""}${applyEdits(source, edits)}`;
}

/** How the file is indented so far. */
function formatOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 4 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unreadable(reason: string): IkigaiError {
  return new IkigaiError("invalid_input", `The configuration cannot be changed: ${reason}`, {
    hint: "Mend the file by hand, then try again.",
  });
}
