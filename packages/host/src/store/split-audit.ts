import { dirname } from "node:path";
import { messageOf } from "@ikigai/core";
import type { Audit } from "@ikigai/core/host";
import { type AuditLog, createAudit, fileSink, readAuditRows } from "@ikigai/memory";
import { makePrivateFolder } from "@ikigai/permission";
import type { OpenedStore } from "./host-store.ts";
import type { OpenStoreOptions } from "./store-options.ts";
import { tellOfDropped } from "./tell-of-dropped.ts";

interface SplitAuditHost {
  readonly open: () => Promise<OpenedStore>;
  readonly exists: () => Promise<boolean>;
  readonly opened: () => boolean;
  readonly warn: (message: string) => void;
}

/** Rows that wait in the file before they are taken in meanwhile. */
const TAKE_IN_EVERY = 500;

/**
 * The row of an act is in the store before the act. Rows of plain reads, and of how a call ended, go to the end of a file,
 * which costs a fraction of a transaction, and are taken in later. Whoever switched the journal off can change files
 * without a store, so the rows of acts are in that file then, synced.
 *
 * Contract: an act whose row cannot be kept is not done. A read whose row cannot be kept goes on, and the operator is
 * told once.
 */
export function createSplitAudit(
  { auditFile, journal }: Pick<OpenStoreOptions, "auditFile" | "journal">,
  { open, exists, opened, warn }: SplitAuditHost,
): AuditLog {
  let inFile: Promise<Audit | undefined> | undefined;
  let rows = 0;
  const openFile = async (sync: boolean): Promise<Audit> => {
    await makePrivateFolder(dirname(auditFile));
    const bounds = { onFull: () => void tryToTakeIn(), onDropped: tellOfDropped(warn) };
    return createAudit(fileSink(auditFile, { sync, ...bounds }));
  };
  const takeIn = async (): Promise<void> => {
    if (await exists()) await (await open()).audit.takeIn();
  };
  /** Whatever keeps the rows from being taken in now, it is tried again later. */
  const tryToTakeIn = async (): Promise<void> => {
    await takeIn().catch(() => {});
  };
  const acts = async (): Promise<Audit> => (journal ? (await open()).audit : openFile(true));
  const fileOfReads = async (): Promise<Audit | undefined> => {
    inFile ??= openFile(false).catch((error: unknown) => {
      warn(`reads are not audited: ${messageOf(error)}`);
      return undefined;
    });
    rows++;
    if (opened() && rows % TAKE_IN_EVERY === 0) void tryToTakeIn();
    return inFile;
  };
  const written = async (callId: string): Promise<void> => {
    // A store that could not be opened has nothing on its way.
    const store = opened() ? await open().catch(() => undefined) : undefined;
    await store?.audit.written(callId);
  };
  return {
    async intent(call) {
      const act = call.verdicts.some(({ effect }) => effect.action !== "read");
      await (await (act ? acts() : fileOfReads()))?.intent(call);
    },
    async outcome(call) {
      try {
        await written(call.callId);
      } finally {
        await (await fileOfReads())?.outcome(call);
      }
    },
    written,
    read: async (query) => ((await exists()) ? (await open()).audit.read(query) : readAuditRows(auditFile, query)),
    takeIn,
  };
}
