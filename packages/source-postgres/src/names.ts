import { IkigaiError } from "@ikigai/core";

const MAX_PATH_BYTES = 1_024;
const MAX_OWNER_BYTES = 128;

/** Contract: `invalid_input` for what cannot name an asset: nothing, a NUL, half of a surrogate pair, over 1,024 bytes. */
export function checkedPath(path: string): string {
  if (path === "") throw badName("The empty path", "it names nothing");
  return checkedText(path, MAX_PATH_BYTES);
}

export function checkedOwner(owner: string): string {
  if (owner === "") throw badName("The empty owner", "it names nobody");
  return checkedText(owner.normalize("NFC"), MAX_OWNER_BYTES);
}

/** Contract: refuses text that PostgreSQL would change or not take. */
export function assertStorable(text: string, path: string): void {
  const fault = faultOf(text);
  if (fault === undefined) return;
  throw new IkigaiError("invalid_input", `The text for "${path}" contains ${fault}, which cannot be stored`, {
    hint: "Leave that character out.",
  });
}

/** The first text, by code points, behind everything that starts with `prefix`; absent when there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix);
  for (;;) {
    const last = points.pop();
    if (last === undefined) return undefined;
    const next = (last.codePointAt(0) ?? 0) + 1;
    if (next > 0x10_ff_ff) continue;
    return points.join("") + String.fromCodePoint(next === 0xd8_00 ? 0xe0_00 : next);
  }
}

function checkedText(name: string, maxBytes: number): string {
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
  const fault = faultOf(name);
  if (fault !== undefined) throw badName(shown, `it contains ${fault}`);
  const bytes = Buffer.byteLength(name);
  if (bytes > maxBytes) throw badName(shown, `it has ${bytes} bytes, ${maxBytes} are allowed`);
  return name;
}

function faultOf(text: string): string | undefined {
  if (text.includes("\0")) return "a NUL character";
  return text.isWellFormed() ? undefined : "half of a surrogate pair";
}

function badName(shown: string, reason: string): IkigaiError {
  return new IkigaiError("invalid_input", `${shown} cannot name an asset: ${reason}`, {
    hint: "Choose another name.",
  });
}
