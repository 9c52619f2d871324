import { IkigaiError, type MemoryPermission } from "@ikigai/core";
import { type Database, databaseCause, type Sql, sqlState, type Transaction } from "@ikigai/database";
import type { AgentView, BlockRecord, BlockStore, StoredBytes, VisibleBlock } from "@ikigai/memory";
import type { BlockBudget } from "./budget/block-budget.ts";

interface BlockRow {
  readonly id: string;
  readonly revision: string;
  readonly record: string;
}

interface VisibleRow extends BlockRow {
  readonly permission: MemoryPermission | null;
}

interface BytesRow {
  readonly kind: "snapshot" | "update";
  readonly revision: string;
  readonly bytes: Buffer;
}

const VISIBLE = `
  select b.id, b.revision, b.record, null as permission from block b where b.owner = $1
  union all
  select b.id, b.revision, b.record, s.permission from block_share s join block b on b.id = s.block
  where s.agent = $1 and b.owner <> $1`;
const UNSEEN: AgentView = { pinned: false };

/** Blocks in the store. Contract: that of `BlockStore`; with a budget, a pinned block's size is kept with its change. */
export function createBlockStore(database: Database, budget?: BlockBudget): BlockStore {
  return { ...readBlocks(database), ...changeBlocks(database, budget), ...blocksOfAgents(database, budget) };
}

function readBlocks(
  database: Database,
): Pick<BlockStore, "find" | "list" | "listByOrigin" | "load" | "updatesAfter" | "history"> {
  return {
    async find(agent, label) {
      const { rows } = await database.query<VisibleRow>(
        `select v.* from (${VISIBLE}) v join block b on b.id = v.id where b.label = $2
         order by v.permission is not null, b.owner`,
        [agent, label],
      );
      return rows.map(toVisible);
    },
    async list(agent) {
      const { rows } = await database.query<VisibleRow>(
        `select v.* from (${VISIBLE}) v join block b on b.id = v.id order by b.label, v.permission is not null, b.owner`,
        [agent],
      );
      return rows.map(toVisible);
    },
    async listByOrigin(uri) {
      const { rows } = await database.query<BlockRow>("select * from block where origin_uri = $1 order by id", [uri]);
      return rows.map(toRecord);
    },
    async load(id) {
      const { rows } = await database.query<BytesRow & { there: string }>(
        `select b.id as there, y.kind, y.revision, y.bytes from block b left join block_bytes y on y.block = b.id
         where b.id = $1 order by y.revision`,
        [id],
      );
      if (rows.length === 0) throw noBlock(id);
      const bytesOf = (kind: BytesRow["kind"]): StoredBytes[] => rows.filter((row) => row.kind === kind).map(toBytes);
      return { snapshots: bytesOf("snapshot").toReversed(), updates: bytesOf("update") };
    },
    async updatesAfter(id, revision) {
      const { rows } = await database.query<BytesRow>(
        "select kind, revision, bytes from block_bytes where block = $1 and (kind = 'snapshot' or revision > $2) order by revision",
        [id, revision],
      );
      if (rows.length === 0) throw noBlock(id);
      const oldest = Number(rows.find(({ kind }) => kind === "snapshot")?.revision ?? 0);
      return revision < oldest ? undefined : rows.filter(({ kind }) => kind === "update").map(toBytes);
    },
    async history(id, limit) {
      const { rows } = await database.query<{ at: Date; agent: string; operation: string; frontiers: string }>(
        "select at, agent, operation, frontiers from block_history where block = $1 order by revision desc limit $2",
        [id, limit],
      );
      if (rows.length === 0) throw noBlock(id);
      return rows;
    },
  };
}

function changeBlocks(
  database: Database,
  budget: BlockBudget | undefined,
): Pick<BlockStore, "create" | "commit" | "compact"> {
  return {
    async create({ record, change, snapshot }) {
      const made: BlockRecord = { ...record, undo: [], redo: [], revision: 0 };
      try {
        await database.transaction(async (tx) => {
          await tx.query(
            "insert into block (id, owner, label, origin_uri, revision, record) values ($1, $2, $3, $4, 0, $5)",
            [record.id, record.owner, record.label, record.origin?.uri ?? null, JSON.stringify(made)],
          );
          saveBytes(tx, record.id, "snapshot", { revision: 0, bytes: snapshot });
          saveHistory(tx, record.id, 0, change);
        });
      } catch (error) {
        if (sqlState(databaseCause(error)) !== "23505") throw error;
        throw new IkigaiError("conflict", `${record.owner} already has a block "${record.label}"`, { cause: error });
      }
      return structuredClone(made);
    },
    async commit({ id, expected, set, change }) {
      let size: number | undefined;
      return database.transaction(async (tx) => {
        const current = await lockBlock(tx, id);
        if (current.revision !== expected) {
          throw new IkigaiError("conflict", `"${current.label}" is at revision ${current.revision}, not ${expected}`, {
            hint: "Read the block again, then reapply the edit.",
          });
        }
        const { origin, ...rest } = set;
        const { origin: kept, ...record } = current;
        const nextOrigin = origin === undefined ? kept : (origin ?? undefined);
        const revision = expected + 1;
        const next = { ...record, ...rest, ...(nextOrigin !== undefined && { origin: nextOrigin }), revision };
        tx.send("update block set revision = $2, record = $3, origin_uri = $4 where id = $1", [
          id,
          revision,
          JSON.stringify(next),
          nextOrigin?.uri ?? null,
        ]);
        if (change !== undefined) {
          saveBytes(tx, id, "update", { revision, bytes: change.bytes });
          saveHistory(tx, id, revision, change);
          size ??= budget?.take(change.agent, next.label);
          await budget?.changed(tx, next, change.agent, size);
        }
        return structuredClone(next);
      });
    },
    async compact(id, snapshot) {
      await database.transaction(async (tx) => {
        await lockBlock(tx, id);
        const { rows } = await tx.query<{ revision: string }>(
          "select revision from block_bytes where block = $1 and kind = 'snapshot' order by revision desc limit 1",
          [id],
        );
        const present = Number(rows[0]?.revision ?? 0);
        if (present >= snapshot.revision) return null;
        saveBytes(tx, id, "snapshot", snapshot);
        tx.send(
          `delete from block_bytes where block = $1
           and ((kind = 'snapshot' and revision < $2) or (kind = 'update' and revision <= $2))`,
          [id, present],
        );
        return null;
      });
    },
  };
}

/** With whom blocks are shared, and how each agent sees them. */
function blocksOfAgents(
  database: Database,
  budget: BlockBudget | undefined,
): Pick<BlockStore, "share" | "view" | "setView"> {
  return {
    share: (id, agent, permission) =>
      database.transaction(async (tx) => {
        await lockBlock(tx, id);
        const statement =
          permission === undefined
            ? tx.query("delete from block_share where block = $1 and agent = $2", [id, agent])
            : tx.query(
                `insert into block_share (block, agent, permission) values ($1, $2, $3)
                 on conflict (agent, block) do update set permission = $3 where block_share.permission <> $3`,
                [id, agent, permission],
              );
        return (await statement).count > 0;
      }),
    async view(agent, id) {
      const { rows } = await database.query<{ view: string | null }>(
        "select v.view from block b left join block_view v on v.block = b.id and v.agent = $1 where b.id = $2",
        [agent, id],
      );
      if (rows[0] === undefined) throw noBlock(id);
      return rows[0].view === null ? UNSEEN : (JSON.parse(rows[0].view) as AgentView);
    },
    async setView(agent, id, view) {
      let size: number | undefined;
      await database.transaction(async (tx) => {
        const record = await lockBlock(tx, id);
        tx.send(
          `insert into block_view (block, agent, view) values ($1, $2, $3)
           on conflict (agent, block) do update set view = $3`,
          [id, agent, JSON.stringify(view)],
        );
        size ??= budget?.take(agent, record.label);
        await budget?.viewed(tx, record, agent, view.pinned, size);
        return null;
      });
    },
  };
}

async function lockBlock(tx: Sql, id: string): Promise<BlockRecord> {
  const { rows } = await tx.query<BlockRow>("select id, revision, record from block where id = $1 for update", [id]);
  if (rows[0] === undefined) throw noBlock(id);
  return toRecord(rows[0]);
}

function saveBytes(tx: Transaction, id: string, kind: BytesRow["kind"], { revision, bytes }: StoredBytes): void {
  tx.send("insert into block_bytes (block, kind, revision, bytes) values ($1, $2, $3, $4)", [
    id,
    kind,
    revision,
    Buffer.from(bytes),
  ]);
}

function saveHistory(
  tx: Transaction,
  id: string,
  revision: number,
  { at, agent, operation, frontiers }: { at: Date; agent: string; operation: string; frontiers: string },
): void {
  tx.send(
    "insert into block_history (block, revision, at, agent, operation, frontiers) values ($1, $2, $3, $4, $5, $6)",
    [id, revision, at, agent, operation, frontiers],
  );
}

function toRecord({ record }: BlockRow): BlockRecord {
  return JSON.parse(record) as BlockRecord;
}

function toVisible(row: VisibleRow): VisibleBlock {
  return { record: toRecord(row), ...(row.permission !== null && { shared: row.permission }) };
}

function toBytes({ revision, bytes }: BytesRow): StoredBytes {
  return { revision: Number(revision), bytes: new Uint8Array(bytes) };
}

function noBlock(id: string): IkigaiError {
  return new IkigaiError("not_found", `There is no block with the id ${id}`);
}
