import { createHash } from "node:crypto";
import { z } from "zod";
import type { JsonFile } from "./json-file.ts";

/** One file that a folder brings, and what it held. Short texts are kept, so that a change can be shown. */
export interface TrustedFile {
  readonly path: string;
  readonly sha256: string;
  readonly text?: string | undefined;
}

export interface TrustRecords {
  readonly folders: readonly {
    readonly root: string;
    readonly trusted_at: string;
    readonly files: readonly TrustedFile[];
  }[];
}

const fileRecord = z.strictObject({ path: z.string(), sha256: z.string(), text: z.string().optional() });
const folderRecord = z.strictObject({ root: z.string(), trusted_at: z.string(), files: z.array(fileRecord) });
export const trustFile: z.ZodType<TrustRecords> = z.strictObject({ folders: z.array(folderRecord) });

export interface ContentChange {
  readonly path: string;
  readonly change: "added" | "changed" | "removed";
  readonly before?: string;
  readonly after?: string;
}

/** Whether the user trusted exactly this content. */
export type TrustState =
  | { readonly state: "trusted" }
  | { readonly state: "unknown" }
  | { readonly state: "changed"; readonly changes: readonly ContentChange[] };

export interface Trust {
  /** Contract: `trusted` only when every file is byte for byte what was trusted, and there is no other. */
  check(root: string, content: readonly TrustedFile[]): Promise<TrustState>;
  /** Files of the folder that were trusted, with their content. */
  known(root: string): Promise<readonly TrustedFile[] | undefined>;
  trust(root: string, content: readonly TrustedFile[]): Promise<void>;
  /** Contract: resolves to whether there was anything to revoke. */
  revoke(root: string): Promise<boolean>;
}

const KEPT_TEXT = 65_536;

/** Trust binds to content: what a folder brings does nothing until the user trusted these very bytes. */
export function createTrust(file: JsonFile<TrustRecords>, now: () => Date = () => new Date()): Trust {
  return {
    async check(root, content) {
      if (content.length === 0) return { state: "trusted" };
      const known = (await file.read()).folders.find((one) => one.root === root);
      if (known === undefined) return { state: "unknown" };
      const changes = compareContent(known.files, content);
      return changes.length === 0 ? { state: "trusted" } : { state: "changed", changes };
    },
    known: async (root) => (await file.read()).folders.find((one) => one.root === root)?.files,
    async trust(root, content) {
      const added = { root, trusted_at: now().toISOString(), files: [...content] };
      await file.update(({ folders }) => ({ folders: [...folders.filter((one) => one.root !== root), added] }));
    },
    async revoke(root) {
      const known = (await file.read()).folders.some((one) => one.root === root);
      if (known) await file.update(({ folders }) => ({ folders: folders.filter((one) => one.root !== root) }));
      return known;
    },
  };
}

/** A file as it is trusted. Contract: made of the very bytes that are used; a text of up to 65,536 bytes is kept. */
export function toTrustedFile(path: string, bytes: Buffer): TrustedFile {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { path, sha256, ...(bytes.length <= KEPT_TEXT && { text: bytes.toString("utf8") }) };
}

/** Files whose content differs between `before` and `after`. */
export function compareContent(before: readonly TrustedFile[], after: readonly TrustedFile[]): ContentChange[] {
  const old = new Map(before.map((one) => [one.path, one]));
  const changes: ContentChange[] = [];
  for (const { path, sha256, text } of after) {
    const known = old.get(path);
    old.delete(path);
    if (known?.sha256 === sha256) continue;
    changes.push({
      path,
      change: known === undefined ? "added" : "changed",
      ...(known?.text !== undefined && { before: known.text }),
      ...(text !== undefined && { after: text }),
    });
  }
  for (const { path, text } of old.values()) {
    changes.push({ path, change: "removed", ...(text !== undefined && { before: text }) });
  }
  return changes;
}
