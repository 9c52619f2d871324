import { createHash } from "node:crypto";
import { IkigaiError } from "@ikigai/core";
import type { Database, Sql } from "./database.ts";

/** One step of a schema. Its text never changes once it was released. */
export interface Migration {
  /** Unique within its set; steps run in the order of the list. */
  readonly id: string;
  /** Statements separated by semicolons; names are unqualified. */
  readonly sql: string;
}

/** The steps of one package. */
export interface MigrationSet {
  readonly name: string;
  readonly migrations: readonly Migration[];
}

const OWN: MigrationSet = {
  name: "database",
  migrations: [
    {
      id: "0001-transaction-keys",
      sql: `create table transaction_key (
        key text primary key,
        result jsonb not null,
        at timestamptz not null default now()
      );
      create index transaction_key_at on transaction_key (at);`,
    },
  ],
};

interface Applied {
  readonly set: string;
  readonly id: string;
  readonly checksum: string;
}

/**
 * Brings the schema up to what the packages of this program need.
 *
 * Contract: all or nothing, and once, however many processes start together. `unsupported` when the schema is newer
 * than the program, or a released step was changed; then nothing is touched. Gives the steps that it ran.
 */
export async function migrate(database: Database, sets: readonly MigrationSet[]): Promise<readonly string[]> {
  const all = [OWN, ...sets];
  const known = await readApplied(database, database.schema);
  if (known !== undefined && pendingSteps(all, known).length === 0) return [];
  return database.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`ikigai.migrate.${database.schema}`]);
    await tx.query(`create schema if not exists ${database.schema}`);
    await tx.query(`create table if not exists migration (
      set text not null, id text not null, checksum text not null, at timestamptz not null default now(),
      primary key (set, id))`);
    const steps = pendingSteps(all, (await readApplied(tx, database.schema)) ?? []);
    for (const { set, migration } of steps) {
      await tx.query(migration.sql);
      await tx.query("insert into migration (set, id, checksum) values ($1, $2, $3)", [
        set,
        migration.id,
        checksum(migration),
      ]);
    }
    return steps.map(({ set, migration }) => `${set}/${migration.id}`);
  });
}

/** Contract: absent when nothing was ever applied. */
async function readApplied(sql: Sql, schema: string): Promise<readonly Applied[] | undefined> {
  const { rows } = await sql.query<{ there: boolean }>("select to_regclass($1) is not null as there", [
    `${schema}.migration`,
  ]);
  if (rows[0]?.there !== true) return undefined;
  return (await sql.query<Applied>("select set, id, checksum from migration")).rows;
}

function pendingSteps(
  sets: readonly MigrationSet[],
  applied: readonly Applied[],
): { readonly set: string; readonly migration: Migration }[] {
  return sets.flatMap(({ name, migrations }) => {
    const done = new Map(applied.filter(({ set }) => set === name).map((row) => [row.id, row.checksum]));
    const unknown = [...done.keys()].filter((id) => !migrations.some((migration) => migration.id === id));
    if (unknown.length > 0) throw newerSchema(name, unknown);
    const changed = migrations.find((step) => done.has(step.id) && done.get(step.id) !== checksum(step));
    if (changed !== undefined) throw changedStep(name, changed.id);
    return migrations.filter(({ id }) => !done.has(id)).map((migration) => ({ set: name, migration }));
  });
}

function checksum({ sql }: Migration): string {
  return createHash("sha256").update(sql).digest("hex");
}

function newerSchema(set: string, ids: readonly string[]): IkigaiError {
  return new IkigaiError("unsupported", `The store is newer than this program: ${set} already has ${ids.join(", ")}`, {
    hint: "Install a newer version of ikigai.",
    details: { set, ids },
  });
}

function changedStep(set: string, id: string): IkigaiError {
  return new IkigaiError("unsupported", `The store was made by another build: ${set}/${id} differs`, {
    hint: "Install the version of ikigai that made the store, or export it and import it into a new one.",
    details: { set, id },
  });
}
