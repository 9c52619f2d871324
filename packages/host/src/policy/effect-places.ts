import { type Action, type Effect, formatAddress, IkigaiError } from "@ikigai/core";
import { type createPolicy, HOST_MOUNT, isEdit, type Opinion, type SourceManager } from "@ikigai/core/host";
import { finalPlace, findOtherNames } from "@ikigai/source-file";
import { statOf } from "./stat-of.ts";

/** Says where effects end, for every layer, grant and mode alike. */
export interface PlaceFollower {
  /** Contract: `undefined` for what cannot lead elsewhere; throws when nobody can say where it leads. */
  follow(effect: Effect): Promise<EffectPlaces | undefined>;
  /** Does what `follow` does, for an absolute path of the machine, as a command names it. */
  followPath(action: Action, absolute: string): Promise<EffectPlaces>;
}

/** Where an effect ends. */
type EffectPlaces = NonNullable<
  Awaited<ReturnType<NonNullable<NonNullable<Parameters<typeof createPolicy>[0]>["follow"]>>>
>;

type Sources = Pick<SourceManager, "status" | "routePrefix">;

interface Folder {
  readonly mount: string;
  readonly root: string;
}

export function createPlaceFollower(sources: () => Sources): PlaceFollower {
  function folders(): readonly Folder[] {
    return sources()
      .status()
      .filter(({ kind }) => kind === "block")
      .flatMap(({ mount }) => {
        const root = sources().routePrefix(`${mount}:///`).source.localRoot?.();
        return root === undefined ? [] : [{ mount, root }];
      });
  }

  /** The addresses of a file, in every mount but that of the whole machine. */
  function addressesOf(local: string): readonly string[] {
    return folders().flatMap(({ mount, root }) => {
      const path = mount === HOST_MOUNT ? undefined : insideOf(root, local);
      return path === undefined ? [] : [formatAddress({ mount, path })];
    });
  }

  /** The other names of a file that a change would reach, and who must say yes when not all of them are seen. */
  async function otherNames(action: Action, local: string): Promise<{ locals: string[]; opinion?: Opinion }> {
    // An edit goes through a hard link, and so reaches every other name of the file.
    const stat = isEdit(action) ? statOf(local) : undefined;
    if (stat?.isFile() !== true || stat.nlink < 2) return { locals: [] };
    const root = folders().find((one) => one.mount !== HOST_MOUNT && insideOf(one.root, local) !== undefined)?.root;
    const inside = root === undefined ? undefined : insideOf(root, local);
    const { names, isComplete } =
      root === undefined || inside === undefined
        ? { names: [], isComplete: false }
        : await findOtherNames(root, inside, stat);
    const locals = names.map((name) => (root === "/" ? `/${name}` : `${root}/${name}`));
    if (isComplete) return { locals };
    const reason = `the file has ${stat.nlink} names on its disk (hard links), and ${names.length + 1} of them can be seen; a change reaches all`;
    return { locals, opinion: { decision: "ask", needs: "person", reason } };
  }

  async function placesOf(final: Effect, local: string): Promise<EffectPlaces> {
    const { action } = final;
    const { locals, opinion } = await otherNames(action, local);
    const others = [local, ...locals].flatMap((one) =>
      addressesOf(one).map((target) => ({ action, target, local: one })),
    );
    return {
      final,
      others: others.filter(({ target }) => target !== final.target),
      ...(opinion !== undefined && { opinion }),
    };
  }

  return {
    async follow(effect) {
      const { action, target } = effect;
      if (action === "execute" || action === "network") return undefined;
      const isMounted = sources()
        .status()
        .some(({ mount, kind }) => kind === "block" && target.startsWith(`${mount}:///`));
      if (!isMounted) return undefined;
      const { source, address } = sources().routePrefix(target);
      if (source.follow === undefined) return undefined;
      try {
        const { path, file, stored, local } = source.follow(address.path);
        const isSame = stored === address.path;
        const final = {
          action,
          target: isSame ? target : formatAddress({ mount: address.mount, path: stored }),
          local,
        };
        return { ...(await placesOf(final, local)), place: { path, ...(file !== undefined && { file }) } };
      } catch (error) {
        if (!IkigaiError.is(error, "permission_denied")) throw error;
        return { final: effect, opinion: { decision: "deny", reason: error.message } };
      }
    },
    async followPath(action, absolute) {
      const local = finalPlace(absolute).path;
      const [target = `${HOST_MOUNT}://${local}`] = addressesOf(local);
      return placesOf({ action, target, local }, local);
    },
  };
}

function insideOf(root: string, path: string): string | undefined {
  if (path === root) return "";
  const folder = root === "/" ? root : `${root}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : undefined;
}

/** Whether a word of a command that runs in the folder `root` leads to a place in it, as far as it is a path. */
export function leadsInside(root: string, word: string): boolean {
  try {
    const path = word.startsWith("/") ? word : `${root}/${word}`;
    return insideOf(root, finalPlace(path).path) !== undefined;
  } catch {
    return false;
  }
}
