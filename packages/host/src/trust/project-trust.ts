import { realpathSync } from "node:fs";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core";
import {
  type ContentChange,
  createJsonFile,
  createTrust,
  toTrustedFile,
  type Trust,
  type TrustedFile,
  trustFile,
  type TrustState,
} from "@ikigai/permission";
import { CONFIG_FILE, type LoadedConfig } from "../configuration/config.ts";
import type { Place } from "../place/place.ts";
import { type CodeReach, reachOf } from "./code-reach.ts";
import { type CodeUnit, codeUnits } from "./code-unit.ts";
import {
  compareSnapshots,
  type FolderSnapshot,
  openSnapshots,
  type SnapshotStore,
  takeSnapshot,
} from "./folder-snapshot.ts";
import { contentOfReach, type HeldCode } from "./held-code.ts";

/** What the project folder brings, and whether the user trusts it. */
export interface ProjectTrust {
  readonly root: string;
  readonly content: readonly TrustedFile[];
  /** Whether the configuration and the code that is known to run are trusted. */
  readonly state: TrustState;
  /** Units that may run anything in this folder, each in words. */
  readonly anything: readonly string[];
  /** What the folder holds and what changed in it. Contract: `undefined` unless something may run anything in it. */
  lookAtFolder(): Promise<FolderState | undefined>;
  /** Trusts what was shown. Contract: the folder as it was when its changes were asked for. */
  accept(): Promise<void>;
  /** Contract: resolves to whether there was anything to revoke. */
  revoke(): Promise<boolean>;
}

export interface FolderState {
  /** Number of files in the folder. */
  readonly files: number;
  /** Changes since the folder was trusted. Absent: it never was. */
  readonly changes?: readonly ContentChange[];
}

export interface TrustStore {
  readonly trust: Trust;
  readonly snapshots: SnapshotStore;
  /** Folders of our own, which are no part of a project. */
  readonly ownFolders: readonly string[];
}

export function openTrustStore({ stateDirectory }: Pick<Place, "stateDirectory">): TrustStore {
  return {
    trust: createTrust(createJsonFile(join(stateDirectory, "trust.json"), trustFile, { folders: [] })),
    snapshots: openSnapshots(join(stateDirectory, "trusted-folders")),
    ownFolders: [stateDirectory],
  };
}

/** Contract: `loaded` is what is judged; its file is not read again. */
export async function openProjectTrust(place: Place, loaded: LoadedConfig): Promise<ProjectTrust> {
  const root = realpathSync(place.root);
  const store = openTrustStore(place);
  const { trust, snapshots } = store;
  const units = codeUnits(loaded.config, root);
  const reaches = await Promise.all(units.map(reachOf));
  const content = loaded.bytes === undefined ? [] : await contentOf(join(root, CONFIG_FILE), loaded.bytes, reaches);
  const anything = units.flatMap(({ title }, at) => {
    const why = reaches[at]?.anything;
    return why === undefined ? [] : [`${title} (${why})`];
  });
  let shown: FolderSnapshot | undefined;
  const look = async (): Promise<FolderSnapshot> => (shown = await snapshotOf(root, store));
  return {
    root,
    content,
    state: await trust.check(root, content),
    anything,
    async lookAtFolder() {
      if (anything.length === 0) return undefined;
      const [before, now] = [await snapshots.read(root), await look()];
      return { files: now.size, ...(before !== undefined && { changes: compareSnapshots(before, now) }) };
    },
    async accept() {
      if (anything.length > 0) await snapshots.write(root, shown ?? (await look()));
      await trust.trust(root, content);
    },
    revoke: () => trust.revoke(root),
  };
}

export async function snapshotOf(root: string, { snapshots, ownFolders }: TrustStore): Promise<FolderSnapshot> {
  const known = await snapshots.read(root);
  return takeSnapshot(root, { without: ownFolders, ...(known !== undefined && { known }) });
}

async function contentOf(path: string, bytes: Buffer, reaches: readonly CodeReach[]): Promise<TrustedFile[]> {
  const all = new Map<string, TrustedFile>();
  for (const reach of reaches) for (const file of (await contentOfReach(reach)).files) all.set(file.path, file);
  return [toTrustedFile(path, bytes), ...[...all.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1))];
}

/** The files that a unit reaches, all of them trusted. */
export interface JudgedReach extends CodeReach {
  /** Holds a process to it. Absent for what may run anything in its folder. */
  readonly held?: HeldCode;
}

/** Judges each run of what a trusted project brings. */
export interface RunTrust {
  /**
   * Contract: gives what the unit reaches when that is what was trusted, asking a person first where there is one;
   * `permission_denied` otherwise.
   */
  judge(unit: CodeUnit): Promise<JudgedReach>;
}

export interface RunTrustOptions {
  readonly store: TrustStore;
  /** The project, as a real path. */
  readonly root: string;
  /** Everything that was trusted when this process began, the configuration that is in effect first. */
  readonly trusted: readonly TrustedFile[];
  /** Asks a person, and trusts what they agreed to. Absent: nobody can be asked. */
  readonly ask?: () => Promise<boolean>;
}

export function createRunTrust({ store, root, trusted, ask }: RunTrustOptions): RunTrust {
  /** Files that are trusted now: another process may have trusted more meanwhile, or taken trust back. */
  async function trustedNow(): Promise<ReadonlyMap<string, string>> {
    const known = await store.trust.known(root);
    if (known === undefined) return new Map();
    const isSame = known.some(({ path, sha256 }) => path === trusted[0]?.path && sha256 === trusted[0].sha256);
    return new Map((isSame ? known : trusted).map(({ path, sha256 }) => [path, sha256]));
  }

  async function whatChanged(reach: CodeReach, files: readonly TrustedFile[]): Promise<string | undefined> {
    const known = await trustedNow();
    if (known.size === 0) return "the trust in this folder was taken back";
    const changed = files.find(({ path, sha256 }) => known.get(path) !== sha256);
    if (changed !== undefined) return `${changed.path} changed since it was trusted`;
    if (reach.anything === undefined) return undefined;
    const before = await store.snapshots.read(root);
    const changes = compareSnapshots(before ?? new Map(), await snapshotOf(root, store));
    const [first] = changes;
    if (first === undefined) return undefined;
    const more = changes.length === 1 ? "" : ` and ${changes.length - 1} more`;
    return `it may run anything in this folder, and ${first.path}${more} changed since that was trusted`;
  }

  /** Content that a person declined to trust, so that they are not asked again for the same. */
  let declined: string | undefined;
  let asking: Promise<boolean> = Promise.resolve(false);

  return {
    async judge(unit) {
      for (let asked = false; ; asked = true) {
        const reach = await reachOf(unit);
        const { files, held } = await contentOfReach(reach);
        const why = await whatChanged(reach, files);
        if (why === undefined) return { ...reach, ...(held !== undefined && { held }) };
        if (!asked && why !== declined && ask !== undefined) {
          // Questions about trust are asked one at a time.
          asking = asking.then(async () => ((await whatChanged(reach, files)) === undefined ? true : ask()));
          if (await asking) continue;
        }
        declined = why;
        throw new IkigaiError("permission_denied", `not run, because ${why}; look at it with: ikigai trust`);
      }
    },
  };
}
