import { randomUUID } from "node:crypto";
import { type Actor, IkigaiError, type MemoryPermission } from "@ikigai/core";
import {
  assertExpectedAsset,
  assertStorableAsset,
  assertWritableAsset,
  changedAssetDetails,
  newAssetDetails,
  noAsset,
  staleAsset,
} from "@ikigai/core/assets";
import { isAtLeast } from "@ikigai/core/host";
import type { Database, Sql, Transaction } from "@ikigai/database";
import type { Asset, AssetHook, AssetState, AssetUpdate } from "./asset.ts";
import { assertOwn, setDetails } from "./asset-details.ts";
import { findAsset } from "./find-asset.ts";
import { keptRevision, MIN_SHARED_CHARS } from "./revision-text.ts";
import { SETTLE_NEWEST } from "./revisions.ts";

/** What a change needs besides its place. */
export interface ChangeOptions {
  readonly agent: string;
  /** As in the contract of sources: a version, `null` for "must not exist", absent for "whatever it is". */
  readonly expected?: string | null;
  readonly actor?: Actor;
  readonly reason?: string;
  /** The entry of the journal that this change takes back. Absent: it takes none back. */
  readonly undoes?: string;
  readonly signal?: AbortSignal;
}

export interface ChangeContext {
  readonly database: Database;
  readonly countTokens: (text: string) => number;
  readonly hooks: readonly AssetHook[];
  /** Marks the changes of this program among all. */
  readonly program: string;
}

/** The channel that hints at changes. Servers have one set of channels per database, so the schema is in its name. */
export function changeChannel(schema: string): string {
  return `${schema}_asset`;
}

const SAVE = `
  with saved as (
    insert into asset (owner, path, content, version, tokens, bytes, category, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp(), clock_timestamp())
    on conflict (owner, path) do update
      set content = $3, version = $4, tokens = $5, bytes = $6, archived = $13, updated_at = clock_timestamp()
    returning updated_at
  ), revision as (
    insert into asset_revision (owner, number, path, change, content, author, reason, at, program)
    select $1, $4, $2, $8, $14, $9, $10, updated_at, $12 from saved
  )
  select pg_notify($11, '') from saved`;

const REMOVE = `
  with removed as (
    delete from asset where owner = $1 and path = $2
  ), revision as (
    insert into asset_revision (owner, number, path, change, author, reason, at, program)
    values ($1, $3, $2, 'removed', $4, $5, clock_timestamp(), $7)
  )
  select pg_notify($6, '')`;

/** The next number of whoever owns what `agent` means by a path: itself, unless somebody else shares it. */
const TAKE_NUMBER = `
  insert into asset_clock as c (owner, number)
    select coalesce(min(s.owner), $1), 1 from asset_share s join asset a on a.owner = s.owner and a.path = s.path
    where s.agent = $1 and s.path = $2 and s.owner <> $1
      and not exists (select from asset where owner = $1 and path = $2)
    on conflict (owner) do update set number = c.number + 1
    returning owner, number`;

/** Contract: the version is decided inside the transaction, after everybody else who changes this owner's assets. */
export async function writeAsset(
  context: ChangeContext,
  path: string,
  { text, details = {}, pinned }: AssetUpdate & { readonly text: string },
  options: ChangeOptions,
): Promise<AssetState> {
  assertStorableAsset(text, path);
  const tokens = context.countTokens(text);
  const version = await inTransaction(context, options, async (tx) => {
    const { current, owner, number } = await lockPlace(tx, options.agent, path);
    assertExpectedAsset(path, current, options.expected);
    if (Object.keys(details).length > 0) assertOwn(path, owner, options.agent);
    if (current !== undefined && details.readOnly !== false) assertPermitted(current, "overwritten", "read_write");
    const after: AssetState = { text, version: number, tokens };
    if (current !== undefined) settleNewest(tx, owner, current, text);
    tx.send(SAVE, [
      owner,
      path,
      text,
      number,
      tokens,
      Buffer.byteLength(text),
      newAssetDetails(path).category,
      current === undefined ? "created" : "updated",
      options.agent,
      options.reason ?? null,
      changeChannel(context.database.schema),
      context.program,
      details.archived ?? false,
      // A long text is there once: as the asset's.
      text.length < MIN_SHARED_CHARS ? text : null,
    ]);
    const changed = changedAssetDetails(current ?? newAssetDetails(path), { archived: false, ...details });
    if (changed !== undefined) setDetails(tx, owner, path, changed.after);
    await runHooks(
      tx,
      context,
      {
        owner,
        path,
        after,
        ...(current !== undefined && { before: stateOf(current) }),
        ...(changed !== undefined && { details: changed }),
        ...(pinned !== undefined && { pinned }),
      },
      options,
    );
    return number;
  });
  return { text, version, tokens };
}

export async function removeAsset(context: ChangeContext, path: string, options: ChangeOptions): Promise<void> {
  await inTransaction(context, options, async (tx) => {
    const { current, owner, number } = await lockPlace(tx, options.agent, path);
    if (current === undefined) throw noAsset(path);
    assertExpectedAsset(path, current, options.expected);
    assertPermitted(current, "removed", "admin");
    settleNewest(tx, owner, current);
    tx.send(REMOVE, [
      owner,
      path,
      number,
      options.agent,
      options.reason ?? null,
      changeChannel(context.database.schema),
      context.program,
    ]);
    const lost = changedAssetDetails(newAssetDetails(path), current);
    await runHooks(
      tx,
      context,
      {
        owner,
        path,
        before: stateOf(current),
        ...(lost !== undefined && { details: { before: lost.after, after: lost.before } }),
      },
      options,
    );
    return null;
  });
}

/** Contract: to be sent before the asset holds `next`, or is gone. */
function settleNewest(tx: Transaction, owner: string, { path, text }: Asset, next?: string): void {
  if (text.length < MIN_SHARED_CHARS) return;
  const { content, kept_start, kept_end } = keptRevision(text, next ?? "");
  tx.send(SETTLE_NEWEST, [owner, path, content, kept_start, kept_end]);
}

/** A key of its own makes the change happen once, also when the answer to the commit is lost. */
export function inTransaction<T>(
  { database }: ChangeContext,
  { signal }: ChangeOptions,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(work, { idempotencyKey: randomUUID(), ...(signal !== undefined && { signal }) });
}

interface LockedPlace {
  readonly current: Asset | undefined;
  readonly owner: string;
  readonly number: string;
}

/** Whoever changes an owner's assets takes the next number, and so waits for whoever took the one before. */
async function lockPlace(tx: Sql, agent: string, path: string): Promise<LockedPlace> {
  const { rows } = await tx.query<{ owner: string; number: string }>(TAKE_NUMBER, [agent, path]);
  const { owner, number } = rows[0] as { owner: string; number: string };
  // With the owner's counter locked, the row cannot change after it is read.
  const current = await findAsset(tx, agent, path);
  if (current !== undefined && current.owner !== owner) throw staleAsset(path);
  return { current, owner, number };
}

export async function runHooks(
  tx: Transaction,
  { hooks }: ChangeContext,
  change: Omit<Parameters<AssetHook>[1], "agent" | "actor" | "reason" | "undoes">,
  { agent, actor, reason, undoes }: ChangeOptions,
): Promise<void> {
  const full = {
    ...change,
    agent,
    ...(actor !== undefined && { actor }),
    ...(reason !== undefined && { reason }),
    ...(undoes !== undefined && { undoes }),
  };
  for (const hook of hooks) await hook(tx, full);
}

export function stateOf({ text, version, tokens }: Asset): AssetState {
  return { text, version, tokens };
}

export function assertPermitted(
  { path, owner, readOnly, shared }: Asset,
  done: string,
  needed: MemoryPermission,
): void {
  assertWritableAsset({ path, readOnly }, done);
  if (shared === undefined || isAtLeast(shared, needed)) return;
  throw new IkigaiError("permission_denied", `"${path}" of ${owner} is shared as ${shared} and cannot be ${done}`, {
    hint: `Ask ${owner} to share it further.`,
  });
}
