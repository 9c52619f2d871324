import type { BlockDocument } from "./block-document.ts";

/** A document that is open in this process. */
export interface KeptDocument {
  readonly document: BlockDocument;
  revision: number;
  /** Calls that are using the document at the moment. */
  users: number;
  freed: boolean;
}

/** The documents that were used last. Contract: one that goes is freed as soon as nobody uses it. */
export interface KeptDocuments {
  get(id: string): KeptDocument | undefined;
  /** Makes the document the one that was used last. */
  putBack(id: string, entry: KeptDocument): void;
  /** Lets nobody else find the document, which whoever took it may put back. */
  takeOut(id: string): void;
  /** Runs `use` on a document, which is not freed before that ended. */
  holding<Result>(id: string, entry: KeptDocument, use: (entry: KeptDocument) => Promise<Result>): Promise<Result>;
}

export function createKeptDocuments(most: number): KeptDocuments {
  const kept = new Map<string, KeptDocument>();

  /** The collector does not see how much memory a document has, and so would leave it for long. */
  function letGo(id: string, entry: KeptDocument): void {
    if (entry.freed || entry.users > 0 || kept.get(id) === entry) return;
    entry.freed = true;
    entry.document.doc.free();
  }

  return {
    get: (id) => kept.get(id),
    putBack(id, entry) {
      const replaced = kept.get(id);
      kept.delete(id);
      kept.set(id, entry);
      if (replaced !== undefined && replaced !== entry) letGo(id, replaced);
      for (const [oldest, dropped] of kept) {
        if (kept.size <= most) return;
        kept.delete(oldest);
        letGo(oldest, dropped);
      }
    },
    takeOut: (id) => void kept.delete(id),
    async holding(id, entry, use) {
      entry.users++;
      try {
        return await use(entry);
      } finally {
        entry.users--;
        letGo(id, entry);
      }
    },
  };
}
