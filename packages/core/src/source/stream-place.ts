import { messageOf } from "../errors.ts";

/** Where a host keeps how far its streams were read, so that the next one goes on from there. */
export interface StreamCursors {
  load(mount: string): Promise<string | undefined>;
  save(mount: string, cursor: string): Promise<void>;
}

/** How far the events of one stream were used. */
export interface StreamPlace {
  /** Cursor of the last event that was used, also by an earlier host. Absent: none was. */
  readonly taken: string | undefined;
  /** Contract: never throws; a cursor that cannot be kept is warned about. */
  take(cursor: string): void;
  /** Resolves when the last cursor is kept, or cannot be. */
  saved(): Promise<void>;
}

/** Contract: never rejects; a place that cannot be loaded is warned about and counts as none. */
export async function openStreamPlace(
  mount: string,
  cursors: StreamCursors | undefined,
  warn: (message: string) => void,
): Promise<StreamPlace> {
  let taken: string | undefined;
  try {
    taken = await cursors?.load(mount);
  } catch (error) {
    warn(`its last place cannot be read, so it begins anew: ${messageOf(error)}`);
  }
  let waiting: string | undefined;
  let saving: Promise<void> | undefined;

  /** Many events come at once, and only the last place counts. */
  async function save(): Promise<void> {
    while (waiting !== undefined) {
      const cursor = waiting;
      waiting = undefined;
      try {
        await cursors?.save(mount, cursor);
      } catch (error) {
        warn(`its place cannot be kept: ${messageOf(error)}`);
      }
    }
    saving = undefined;
  }

  return {
    get taken() {
      return taken;
    },
    take(cursor) {
      taken = cursor;
      waiting = cursor;
      saving ??= save();
    },
    saved: async () => saving,
  };
}
