import { readdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import type { OwnKind } from "@ikigai/permission";
import { finalPlace } from "@ikigai/source-file";
import { statOf } from "./stat-of.ts";

/** Tells which files of this machine are our own, whatever path leads to them. */
export interface OwnPlaces {
  /** Contract: takes an absolute path without links. */
  kindOf(local: string): OwnKind | undefined;
  /**
   * Whether a path is our own, for callers that ask thousands of times: unlike `kindOf` it may be a quarter of a
   * second out of date.
   */
  isOwn(local: string): boolean;
  /** Whether one of our folders lies below a folder. */
  liesBelow(folder: string): boolean;
  /** Our folders by their real paths. */
  folders(): readonly string[];
}

export interface OwnPlacesOptions {
  readonly stateDirectory: string;
  readonly configDirectory: string;
  /** Present time in milliseconds. Default: the clock of the process. */
  readonly now?: () => number;
}

const OUTPUTS = "outputs";
const KEYS = /^credentials/i;
const REMEMBER_MS = 250;
/** Holds the database, whose files have one name each and are far too many to look at. */
const DATABASE = "postgres";

interface View {
  /** Our folders, as real paths, with what lies in them. */
  readonly folders: readonly { readonly path: string; readonly kindOf: (inside: string) => OwnKind }[];
  /** Our folders and files by device and inode, so that a bind mount or a hard link is found by what it is. */
  readonly identities: Map<string, OwnKind>;
}

/** Finds our own files by real path, and by device and inode. */
export function createOwnPlaces({
  stateDirectory,
  configDirectory,
  now = () => performance.now(),
}: OwnPlacesOptions): OwnPlaces {
  let remembered: { readonly view: View; readonly until: number; readonly foreign: Set<string> } | undefined;

  const folders = (): View["folders"] => [
    { path: realPath(stateDirectory), kindOf: stateKind },
    { path: realPath(configDirectory), kindOf: configurationKind },
  ];

  function recent(): NonNullable<typeof remembered> {
    if (remembered !== undefined && now() < remembered.until) return remembered;
    const view: View = { folders: folders(), identities: new Map() };
    for (const { path, kindOf } of view.folders) collect(path, "", kindOf, view.identities);
    return (remembered = { view, until: now() + REMEMBER_MS, foreign: new Set() });
  }

  return {
    kindOf: (local) => kindByPath(folders(), local) ?? kindByIdentity(recent().view, local, new Set()),
    isOwn(local) {
      const { view, foreign } = recent();
      return (kindByPath(view.folders, local) ?? kindByIdentity(view, local, foreign)) !== undefined;
    },
    liesBelow(folder) {
      const prefix = folder === "/" ? folder : `${folder}/`;
      return folders().some(({ path }) => path.startsWith(prefix));
    },
    folders: () => folders().map(({ path }) => path),
  };
}

function kindByPath(folders: View["folders"], local: string): OwnKind | undefined {
  for (const { path, kindOf } of folders) {
    if (local === path) return kindOf("");
    if (local.startsWith(`${path}/`)) return kindOf(local.slice(path.length + 1));
  }
  return undefined;
}

/** Asks what the path and each folder above it are, up to one that is known to be none of ours. */
function kindByIdentity({ identities }: View, local: string, foreign: Set<string>): OwnKind | undefined {
  if (identities.size === 0) return undefined;
  for (let place = local; place !== "/" && !foreign.has(place); place = dirname(place)) {
    const stat = statOf(place);
    const kind = stat && identities.get(identityOf(stat));
    if (kind !== undefined) return kind;
  }
  foreign.add(dirname(local));
  return undefined;
}

function stateKind(inside: string): OwnKind {
  return inside === OUTPUTS || inside.startsWith(`${OUTPUTS}/`) ? "output" : "secret";
}

function configurationKind(inside: string): OwnKind {
  return KEYS.test(inside) ? "secret" : "configuration";
}

/** Our folders need not be there yet, and may be reached through links. */
function realPath(folder: string): string {
  return finalPlace(folder).path;
}

/** Takes in a folder, what lies in it, and what lies in its folders. */
function collect(root: string, inside: string, kindOf: (inside: string) => OwnKind, found: Map<string, OwnKind>): void {
  const stat = statOf(join(root, inside));
  if (stat === undefined) return;
  found.set(identityOf(stat), kindOf(inside));
  const isLooked = stat.isDirectory() && inside !== DATABASE && inside !== OUTPUTS && inside.split("/").length < 3;
  if (!isLooked) return;
  for (const name of namesIn(join(root, inside)))
    collect(root, inside === "" ? name : `${inside}/${name}`, kindOf, found);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
