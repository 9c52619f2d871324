import { messageOf } from "@ikigai/core";
import { HOST_MOUNT } from "@ikigai/core/host";
import type { MountRows } from "./mount-rows.ts";
import type { IndexReport, NoteIndexOptions, RefreshOptions } from "./note-index.ts";

const RETRY_AFTER_MS = 30_000;

/** Which mounts were looked at, and which could not be. */
export interface MountLooks {
  mounts(): readonly string[];
  /** Lets go of mounts that are no longer there. */
  forgetUnmounted(): void;
  /** Looks at a mount now. Contract: one that cannot be listed is told where somebody listens, and then it is empty. */
  look(mount: string, refresh: RefreshOptions): Promise<IndexReport>;
  /** Waits for the first look at a mount. Contract: one that failed is not waited for; it is looked at again when that is due. */
  ready(mount: string, refresh: RefreshOptions): Promise<void>;
  /** The first look at a mount, when there was one. */
  first(mount: string): Promise<void> | undefined;
  /** Contract: throws the error where nobody listens. */
  leaveOut(mount: string, error: unknown): void;
  /** Told of each mount that is looked at for the first time. */
  onFirst(listener: (mount: string) => void): void;
}

export function createMountLooks(options: NoteIndexOptions, rows: MountRows): MountLooks {
  const { sources, now = Date.now } = options;
  const looks = new Map<string, Promise<void>>();
  /** When each mount that could not be listed failed. */
  const failedAt = new Map<string, number>();
  let listener: ((mount: string) => void) | undefined;

  function mounts(): readonly string[] {
    if (typeof options.mounts === "function") return options.mounts();
    if (options.mounts !== undefined) return options.mounts;
    return sources.status().flatMap(({ kind, mount }) => (kind === "block" && mount !== HOST_MOUNT ? [mount] : []));
  }

  function leaveOut(mount: string, error: unknown): void {
    if (options.onMountFailure === undefined) throw error;
    if (!failedAt.has(mount)) options.onMountFailure(mount, error);
    failedAt.set(mount, now());
  }

  async function look(mount: string, refresh: RefreshOptions): Promise<IndexReport> {
    try {
      const report = await rows.refresh(mount, refresh);
      failedAt.delete(mount);
      return report;
    } catch (error) {
      refresh.signal?.throwIfAborted();
      leaveOut(mount, error);
      return { ...NOTHING, failed: [{ uri: `${mount}:///`, reason: messageOf(error) }] };
    }
  }

  function firstLook(mount: string, refresh: RefreshOptions): Promise<void> {
    listener?.(mount);
    const mine = look(mount, refresh).then(
      () => undefined,
      (error: unknown) => {
        if (looks.get(mount) === mine) looks.delete(mount);
        throw error;
      },
    );
    looks.set(mount, mine);
    return mine;
  }

  /** Looks at a mount that failed, when that is due. Contract: nobody waits for it; what it says then is known later. */
  function tryAgain(mount: string): void {
    if (now() - (failedAt.get(mount) ?? 0) < RETRY_AFTER_MS) return;
    failedAt.set(mount, now());
    void firstLook(mount, {}).catch(() => undefined);
  }

  return {
    mounts,
    leaveOut,
    forgetUnmounted() {
      const present = new Set(mounts());
      for (const mount of looks.keys()) {
        if (present.has(mount)) continue;
        rows.forget(mount);
        looks.delete(mount);
      }
    },
    async look(mount, refresh) {
      const report = await look(mount, refresh);
      if (!looks.has(mount)) looks.set(mount, Promise.resolve());
      return report;
    },
    async ready(mount, refresh) {
      if (failedAt.has(mount)) tryAgain(mount);
      else await (looks.get(mount) ?? firstLook(mount, refresh));
    },
    first: (mount) => looks.get(mount),
    onFirst: (one) => void (listener = one),
  };
}

export const NOTHING: IndexReport = { notes: 0, read: 0, unchanged: 0, removed: 0, failed: [] };
