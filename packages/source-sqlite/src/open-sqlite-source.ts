import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { type TextContent, type DataBlock, IkigaiError, parseAddress } from "@ikigai/core";
import { translate } from "./errors.ts";
import type { SqliteSourceOptions } from "./options.ts";
import { createTable, describeTable } from "./table.ts";

const MAX_BYTES = 10 * 1024 * 1024;
const BUSY_MS = 2_000;
const PAGE = 500;

export async function openSqliteSource(options: SqliteSourceOptions): Promise<DataBlock<"write" | "remove">> {
  const { file, create = false, maxBytes = MAX_BYTES, busyMs = BUSY_MS } = options;
  const { table = "documents", pathColumn = "path", textColumn = "text" } = options;
  if (!create && !existsSync(file)) {
    throw new IkigaiError("not_found", `There is no database ${file}`, {
      hint: "Correct the path, or pass create: true.",
    });
  }
  // A native library: loaded when a database is opened, not when the package is looked at.
  const { default: Database } = await import("libsql");
  const database = translate(`Opening ${file}`, () => new Database(file));
  const names = { table, pathColumn, textColumn };
  const sql = translate(`Opening ${file}`, () => {
    try {
      database.exec(`PRAGMA busy_timeout = ${busyMs}`);
      if (create) createTable(database, names);
      return describeTable(database, names);
    } catch (error) {
      database.close();
      throw error;
    }
  });

  function look(path: string): TextContent | undefined {
    const row = database.prepare(sql.select).get(path) as { text: Uint8Array } | undefined;
    if (row === undefined) return undefined;
    if (row.text.length > maxBytes) throw tooLarge(path, row.text.length, maxBytes);
    const text = decode(row.text);
    if (text === undefined || text.includes("\0")) {
      throw new IkigaiError("unsupported", `"${path}" is not UTF-8 text`, { hint: "Choose a row that holds text." });
    }
    return { text, version: versionOf(text) };
  }

  /** The write lock is taken before the look, so what was seen is what is changed. */
  function change<T>(what: string, signal: AbortSignal | undefined, work: () => T): T {
    assertRunning(signal);
    return translate(what, () => {
      database.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    });
  }

  return {
    async read(path, { signal } = {}) {
      assertRunning(signal);
      return translate(`Reading "${path}"`, () => look(path));
    },
    async *list(prefix, { signal } = {}) {
      let after: Uint8Array = Buffer.alloc(0);
      for (;;) {
        assertRunning(signal);
        const rows = translate("Listing", () => database.prepare(sql.page).all(after, prefix, PAGE)) as {
          readonly path: Uint8Array;
          readonly bytes: number;
        }[];
        for (const { path: raw, bytes } of rows) {
          const path = decode(raw);
          if (path !== undefined && isAddressable(path)) yield { path, bytes };
        }
        if (rows.length < PAGE) return;
        after = Buffer.from(rows.at(-1)?.path ?? after);
      }
    },
    async write(path, text, { expected, signal } = {}) {
      assertStorable(path, text, maxBytes);
      return change(`Writing "${path}"`, signal, () => {
        if (expected !== undefined) assertVersion(path, look(path)?.version ?? null, expected);
        const { changes } = database.prepare(sql.update).run(path, text);
        if (changes === 0) database.prepare(sql.insert).run(path, text);
        return { text, version: versionOf(text) };
      });
    },
    async remove(path, { expected, signal } = {}) {
      change(`Removing "${path}"`, signal, () => {
        if (expected !== undefined) {
          const present = look(path);
          if (present !== undefined) assertVersion(path, present.version, expected);
        }
        if (database.prepare(sql.remove).run(path).changes > 0) return;
        throw new IkigaiError("not_found", `There is no document "${path}"`, { hint: "List the mount with glob." });
      });
    },
    async close() {
      if (database.open) database.close();
    },
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function versionOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

function assertVersion(path: string, present: string | null, expected: string | null): void {
  if (present === expected) return;
  const found = present === null ? "is not there" : expected === null ? "exists already" : "changed since it was read";
  throw new IkigaiError("conflict", `"${path}" ${found}`, { hint: "Read it again, then reapply the edit." });
}

function assertRunning(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new IkigaiError("aborted", "The call was aborted", { cause: signal.reason });
}

function assertStorable(path: string, text: string, maxBytes: number): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new IkigaiError("invalid_input", `The text for "${path}" holds a NUL or half of a surrogate pair`, {
      hint: "Leave that character out.",
    });
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw tooLarge(path, bytes, maxBytes);
}

function tooLarge(path: string, bytes: number, maxBytes: number): IkigaiError {
  return new IkigaiError("unsupported", `"${path}" has ${bytes} bytes, more than the ${maxBytes} that are allowed`, {
    hint: "Raise maxBytes in the options of this mount, or split the text.",
  });
}

/** A row may hold any text as its path; what no address can spell could not be read. */
function isAddressable(path: string): boolean {
  try {
    return parseAddress(`x:///${path}`, "").path === path;
  } catch {
    return false;
  }
}
