import type { Stats } from "node:fs";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { createJsonFile } from "@ikigai/permission";
import { z } from "zod";

type Keys = Readonly<Record<string, string>>;

const keys: z.ZodType<Keys> = z.record(z.string(), z.string().min(1));
const OTHERS = 0o077;

/** The keys that `ikigai login` keeps. */
export interface Credentials {
  /** Contract: `permission_denied` when others could read the file, since then it is no secret any more. */
  key(provider: string): Promise<string | undefined>;
  keep(provider: string, key: string): Promise<void>;
  readonly path: string;
}

export function openCredentials(configDirectory: string): Credentials {
  const path = join(configDirectory, "credentials.json");
  const file = createJsonFile(path, keys, {}, { check: (stats) => assertPrivate(path, stats) });
  return {
    path,
    async key(provider) {
      const kept = await file.read();
      return Object.hasOwn(kept, provider) ? kept[provider] : undefined;
    },
    async keep(provider, key) {
      await file.update((present) => ({ ...present, [provider]: key }));
    },
  };
}

function assertPrivate(path: string, found: Stats): void {
  if (process.platform === "win32" || (found.mode & OTHERS) === 0) return;
  const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
  throw new IkigaiError("permission_denied", `${path} has mode ${mode}, so others can read its keys`, {
    hint: `Run: chmod 600 ${path}. Then consider the keys known, and replace them.`,
  });
}
