/** Folders that the watcher may not have in hand yet, looked into again until it surely has. */
export interface FreshFolders {
  add(folder: string): void;
  stop(): void;
}

const EVERY_MS = 250;
const LOOKS = 12;

/**
 * A watcher reads a new folder first and listens to it afterwards; what appears in between is never reported. So for
 * three seconds `look` is called for every new folder, four times a second. A folder inside another one needs no look
 * of its own.
 */
export function createFreshFolders(look: (folder: string) => void): FreshFolders {
  const left = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  function lookAgain(): void {
    const folders = [...left.keys()];
    for (const folder of folders) {
      if (!folders.some((other) => isInside(folder, other))) look(folder);
      const looks = (left.get(folder) ?? 0) - 1;
      if (looks > 0) left.set(folder, looks);
      else left.delete(folder);
    }
    timer = left.size > 0 ? setTimeout(lookAgain, EVERY_MS) : undefined;
  }

  return {
    add(folder) {
      left.set(folder, LOOKS);
      timer ??= setTimeout(lookAgain, EVERY_MS);
    },
    stop() {
      left.clear();
      clearTimeout(timer);
    },
  };
}

function isInside(folder: string, other: string): boolean {
  return folder !== other && (other === "" || folder.startsWith(`${other}/`));
}
