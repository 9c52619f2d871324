import { IkigaiError } from "./errors.ts";

/** Where text lives: the mount that holds it, and its path inside that mount. */
export interface Address {
  readonly mount: string;
  /** Relative, separated by `/`, without empty, `.` or `..` segments. Empty for the mount itself. */
  readonly path: string;
}

/** The mount that absolute paths of the machine belong to. */
export const HOST_MOUNT = "host";
/** The mount of the workspace, which bare paths belong to in a host. */
export const WORKSPACE_MOUNT = "file";
/** The mount of what the store keeps as texts. */
export const ASSET_MOUNT = "ikigai";
/** The mount of answers of tools that were too long, kept to be read on. */
export const OUTPUT_MOUNT = "output";

const MOUNT_NAME = /^[a-z][a-z0-9-]{0,31}$/;
const WRITTEN_ADDRESS = /^([a-z][a-z0-9-]{0,31}):\/\/\/(.*)$/s;
const SCHEME = /^([^/]*?):\/\/(.*)$/s;
/** A scheme has two letters at least, since a single one may be the drive of a Windows path. */
const HALF_SCHEME = /^[A-Za-z][A-Za-z0-9-]{1,31}:\//;
const FIRST_SURROGATE = 0xd8_00;
const LAST_SURROGATE = 0xdf_ff;
const SURROGATES = 0x08_00;
const ABOVE_SURROGATES = 0x20_00;
/** Longest path, in bytes of UTF-8: every store can index it together with its owner. */
const MAX_PATH_BYTES = 2_048;
const MAX_BYTES_PER_UNIT = 3;
/** Longest text that is looked at, in characters. Leaves room for the name of the mount and for segments that vanish. */
const MAX_TEXT_LENGTH = 8_192;

/**
 * Reads `mount:///some/path`, a bare `some/path` of `defaultMount`, or an absolute path of the machine.
 *
 * Contract: every spelling of a place gives one address: repeated slashes and `.` vanish, `..` is resolved,
 * the mount's name is lower case. Leaving the root is `permission_denied`; text that names no place
 * (empty, NUL, backslash, lone surrogate, an authority as in `ikigai://host/x`) is `invalid_input`, and so is a path of
 * more than 2,048 bytes.
 * Percent signs are ordinary characters. So no source ever has to look for traversal in a path.
 */
export function parseAddress(text: string, defaultMount: string): Address {
  const address = parsePrefix(text, defaultMount);
  if (address.path === "") throw notAnAddress(text, "it names no file");
  return address;
}

/** Like {@link parseAddress}, and the mount itself (`ikigai:///`, `.` or nothing) is a place too. */
export function parsePrefix(text: string, defaultMount: string): Address {
  if (text.length > MAX_TEXT_LENGTH) throw tooLong(text, text);
  const match = SCHEME.exec(text);
  if (match !== null) {
    const [, scheme = "", rest = ""] = match;
    const mount = scheme.toLowerCase();
    if (!MOUNT_NAME.test(mount)) throw notAnAddress(text, `"${scheme}" is not the name of a mount`);
    if (!rest.startsWith("/")) throw notAnAddress(text, "an address has three slashes and no host");
    return { mount, path: normalisePath(rest, text) };
  }
  // Taken as a bare path, an address with one slash too few would silently become a folder of that name.
  if (HALF_SCHEME.test(text)) throw notAnAddress(text, "an address has three slashes");
  return { mount: text.startsWith("/") ? HOST_MOUNT : defaultMount, path: normalisePath(text, text) };
}

/** Whether `text` can name a mount. */
export function isMountName(text: string): boolean {
  return MOUNT_NAME.test(text);
}

/**
 * The mount and the path of a text that is written as an address already, such as the target of an effect.
 *
 * Contract: changes nothing of the path, and never throws. Absent for any other text: a command line, a bare path.
 */
export function splitAddress(text: string): Address | undefined {
  const [, mount, path] = WRITTEN_ADDRESS.exec(text) ?? [];
  return mount === undefined || path === undefined ? undefined : { mount, path };
}

/** The mount of a text that is written as an address. Absent for any other text. */
export function mountOf(text: string): string | undefined {
  return splitAddress(text)?.mount;
}

export function formatAddress({ mount, path }: Address): string {
  return `${mount}:///${path}`;
}

/** The order in which a source lists paths: by code point, which is also the order of their UTF-8 bytes. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === length) return Math.sign(a.length - b.length);
  return orderOf(a.charCodeAt(at)) < orderOf(b.charCodeAt(at)) ? -1 : 1;
}

/** UTF-16 writes characters above U+FFFF with surrogates, which are smaller than some that stand for themselves. */
function orderOf(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit > LAST_SURROGATE ? unit - SURROGATES : unit + ABOVE_SURROGATES;
}

/** Contract: throws `invalid_input` unless `name` can be the scheme of an address. */
export function assertMountName(name: string): void {
  if (MOUNT_NAME.test(name)) return;
  throw new IkigaiError("invalid_input", `${JSON.stringify(name)} cannot name a mount`, {
    hint: "Use 1 to 32 lower-case letters, digits and dashes, starting with a letter.",
  });
}

function normalisePath(path: string, text: string): string {
  if (path.includes("\0")) throw notAnAddress(text, "it contains a NUL character");
  if (path.includes("\\")) throw notAnAddress(text, "it contains a backslash");
  if (!path.isWellFormed()) throw notAnAddress(text, "it contains half of a surrogate pair");
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) throw outsideRoot(text);
  }
  const normal = segments.join("/");
  if (normal.length * MAX_BYTES_PER_UNIT > MAX_PATH_BYTES && bytesOf(normal) > MAX_PATH_BYTES)
    throw tooLong(text, normal);
  return normal;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function tooLong(text: string, path: string): IkigaiError {
  const beginning = text.slice(0, 60).replace(/[\ud800-\udbff]$/, "");
  return notAnAddress(`${beginning}…`, `its path has ${bytesOf(path)} bytes, and at most ${MAX_PATH_BYTES} are taken`);
}

function outsideRoot(text: string): IkigaiError {
  return new IkigaiError("permission_denied", `${JSON.stringify(text)} leaves its root`, {
    hint: 'Use a path without ".." that stays inside the workspace or the mount.',
  });
}

function notAnAddress(text: string, reason: string): IkigaiError {
  return new IkigaiError("invalid_input", `${JSON.stringify(text)} is not an address: ${reason}`, {
    hint: "Write a path such as src/main.c or an address such as ikigai:///blocks/decisions.md.",
  });
}
