import { type Effect, formatAddress, IkigaiError, parseAddress, parsePrefix } from "@ikigai/core";
import type { FileOperation, FileToolInput } from "./file-tool-input.ts";

/** The part of a source that names things. */
export interface FileNames {
  readonly mount: string;
  /** The absolute root, when it is known: absolute paths inside it are accepted. */
  readonly realPath: string | undefined;
  label(path: string): string;
}

/** What a call is about, checked and normalised. */
export interface FileToolPlan {
  /** The block's label or the file's address, as the block service takes it. Absent for list and a status of all. */
  readonly place?: string;
  /** The folder of a list. */
  readonly folder?: string;
  readonly effects: readonly Effect[];
}

const NEEDS: Readonly<Record<FileOperation, readonly (keyof FileToolInput)[]>> = {
  load: ["path"],
  save: [],
  create: ["path"],
  delete: ["path"],
  append: ["path", "content"],
  replace: ["path", "old", "new"],
  list: [],
  status: [],
  diff: [],
  reload: [],
  merge: [],
};

/** Arguments whose text ends up in a file. */
const WRITTEN = ["content", "new"] as const;

const BY_LABEL: ReadonlySet<FileOperation> = new Set(["save", "status", "diff", "reload", "merge"]);
const ACTIONS = {
  load: "read",
  save: "update",
  create: "create",
  delete: "delete",
  status: "read",
  diff: "read",
  reload: "read",
  merge: "read",
} as const;

/**
 * Says what `input` will touch. Contract: throws `invalid_input` for fields that are missing or hold a NUL, and `not_found` for a
 * label that is none of this source's; changes nothing.
 *
 * Editing touches only the block (`block:///LABEL`); saving and deleting touch the file; creating touches both; merging
 * and reloading read it and touch the block; the rest reads it. What loading does to the block depends on what is there.
 */
export function planFileCall(input: FileToolInput, names: FileNames): FileToolPlan {
  const { op, path, label } = input;
  const missing = NEEDS[op].filter((field) => input[field] === undefined);
  if (missing.length > 0) throw invalid(op, `needs ${missing.join(" and ")}`);
  for (const field of WRITTEN) {
    if (input[field]?.includes("\0") === true) throw invalid(op, `cannot write ${field}: it contains a NUL character`);
  }
  if (label !== undefined && !BY_LABEL.has(op)) throw invalid(op, "takes a path, not a label");
  if (label !== undefined && path !== undefined) throw invalid(op, "takes either path or label");

  if (op === "list") {
    const folder = addressOf(path ?? "", names, parsePrefix);
    return { folder, effects: [{ action: "read", target: uriOf(folder, names) }] };
  }
  if (path === undefined && label === undefined) {
    if (op !== "status") throw invalid(op, "needs a path or a label");
    return { effects: [{ action: "read", target: uriOf("", names) }] };
  }
  const file = label === undefined ? addressOf(path ?? "", names, parseAddress) : pathOfLabel(label, names);
  const uri = uriOf(file, names);
  const block = `block:///${names.label(file)}`;
  if (op === "append" || op === "replace") {
    return { place: uri, effects: [{ action: op === "append" ? "append" : "update", target: block }] };
  }
  const effects: Effect[] = [{ action: ACTIONS[op], target: uri }];
  if (op === "merge" || op === "reload") effects.push({ action: "update", target: block });
  if (op === "create") effects.push({ action: "create", target: block });
  return { place: label ?? uri, effects };
}

function addressOf(text: string, { mount, realPath }: FileNames, parse: typeof parseAddress): string {
  // The URI of a file holds its absolute path.
  const plain = text.toLowerCase().startsWith(`${mount}:///`) ? text.slice(`${mount}://`.length) : text;
  const inside = realPath !== undefined && `${plain}/`.startsWith(`${realPath}/`);
  const address = parse(inside ? plain.slice(realPath.length).replace(/^\/+/, "") : text, mount);
  if (address.mount === mount) return address.path;
  throw new IkigaiError("permission_denied", `${JSON.stringify(text)} lies outside ${mount}:///`, {
    hint: `Use a path inside ${mount}:///, or the block and file_read tools for other sources.`,
  });
}

function pathOfLabel(label: string, names: FileNames): string {
  const path = /^file:[0-9a-f]{8}:(.+)$/s.exec(label)?.[1];
  if (path !== undefined && names.label(path) === label) return path;
  throw new IkigaiError("not_found", `${JSON.stringify(label)} is not the label of a file in ${names.mount}:///`, {
    hint: "Use the label that load returned, or the path.",
  });
}

function uriOf(path: string, { mount }: FileNames): string {
  return formatAddress({ mount, path });
}

function invalid(op: FileOperation, what: string): IkigaiError {
  return new IkigaiError("invalid_input", `file ${op} ${what}`, { hint: "Correct the fields and call again." });
}
