import { IkigaiError } from "../errors.ts";

const MAX_PATH_BYTES = 1_024;
const MAX_OWNER_BYTES = 128;

/** Contract: `invalid_input` for what cannot name an asset: nothing, a NUL, half of a surrogate pair, over 1,024 bytes. */
export function checkedAssetPath(path: string): string {
  if (path === "") throw badName("The empty path", "it names nothing");
  return checkedText(path, MAX_PATH_BYTES);
}

/** Contract: the owner in one canonical form; `invalid_input` as for paths, over 128 bytes. */
export function checkedAssetOwner(owner: string): string {
  if (owner === "") throw badName("The empty owner", "it names nobody");
  return checkedText(owner.normalize("NFC"), MAX_OWNER_BYTES);
}

/** Contract: `invalid_input` for a text that a store would change or not take. */
export function assertStorableAsset(text: string, path: string): void {
  const fault = faultOf(text);
  if (fault === undefined) return;
  throw new IkigaiError("invalid_input", `The text for "${path}" contains ${fault}, which cannot be stored`, {
    hint: "Leave that character out.",
  });
}

function checkedText(name: string, maxBytes: number): string {
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
  const fault = faultOf(name);
  if (fault !== undefined) throw badName(shown, `it contains ${fault}`);
  const bytes = new TextEncoder().encode(name).length;
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
