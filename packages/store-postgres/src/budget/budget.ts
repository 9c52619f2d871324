import { IkigaiError } from "@ikigai/core";
import type { Database, Sql, Transaction } from "@ikigai/database";
import { type BudgetStatus, overBudget, type Pin, toBudgetStatus } from "@ikigai/memory";

export interface PinRequest extends Omit<Pin, "behind"> {
  readonly agent: string;
}

/** A text that changed. */
export interface Resize {
  /** Who changed it: the one whose budget can refuse it. */
  readonly agent: string;
  readonly uri: string;
  readonly owner: string;
  readonly tokens: number;
  readonly version: string;
  /** Whether it is a record of the program's own, which no context holds: it counts only where it is pinned. */
  readonly isRecord?: boolean;
}

/**
 * Pins and the budget of tokens they share, per agent.
 *
 * Contract: the sum of an agent's pinned tokens never exceeds its limit, at any commit, between any processes: each
 * change locks the agent's counter, and the table refuses a sum above the limit. What takes `tx` belongs to the
 * caller's transaction.
 */
export interface Budget {
  /** Contract: `over_budget` when it does not fit; pinning again updates size and version, and gives false. */
  pin(tx: Transaction, request: PinRequest): Promise<boolean>;
  /** Contract: false when it was not pinned. */
  unpin(agent: string, uri: string): Promise<boolean>;
  /** The same inside the caller's transaction. */
  release(tx: Transaction, agent: string, uri: string): Promise<boolean>;
  /** Lets a change through, or throws `over_budget`; keeps the sizes of all pins of that text. */
  resize(tx: Transaction, change: Resize): Promise<void>;
  /** Forgets all pins of a text that is gone. Gives the agents who had it pinned. */
  forget(tx: Transaction, uri: string, owner: string): Promise<readonly string[]>;
  status(agent: string): Promise<BudgetStatus>;
  /** Contract: `over_budget` for a limit below what is pinned. */
  setLimit(agent: string, limit: number): Promise<void>;
}

export interface BudgetOptions {
  /** Tokens an agent may pin unless it was given another limit. Default 100,000. */
  readonly limit?: number;
  /** Whether a refusal may advise `/compact`, which needs a model. Default true. */
  readonly canCompact?: boolean;
}

const LIMIT = 100_000;

interface Counter {
  readonly agent: string;
  readonly pinned: number;
  readonly limit: number;
}

export function createBudget(database: Database, { limit = LIMIT, canCompact = true }: BudgetOptions = {}): Budget {
  async function release(tx: Transaction, agent: string, uri: string): Promise<boolean> {
    await lockCounter(tx, agent, limit);
    return (await removePins(tx, "agent = $1 and uri = $2", [agent, uri])).length > 0;
  }

  return {
    async pin(tx, request) {
      const { agent, uri, owner, tokens, version } = request;
      const [counter, [before]] = await Promise.all([lockCounter(tx, agent, limit), readPins(tx, agent, uri)]);
      const total = counter.pinned - (before?.tokens ?? 0) + tokens;
      if (total > counter.limit) {
        throw overBudget(counter.pinned, counter.limit, tokens, "pin", await readPins(tx, agent), canCompact);
      }
      tx.send(
        `insert into pin (agent, uri, owner, tokens, version) values ($1, $2, $3, $4, $5)
         on conflict (agent, uri) do update set owner = $3, tokens = $4, version = $5, behind = false`,
        [agent, uri, owner, tokens, version],
      );
      tx.send("update budget set pinned = $2 where agent = $1", [agent, total]);
      return before === undefined;
    },
    unpin: (agent, uri) => database.transaction((tx) => release(tx, agent, uri)),
    release,
    async resize(tx, change) {
      const { agent, uri, owner, tokens, version, isRecord = false } = change;
      const [counters, sizes] = await Promise.all([
        lockCounters(tx, agent, uri, owner, limit),
        readSizes(tx, uri, owner),
      ]);
      for (const counter of counters) {
        const size = sizes.get(counter.agent);
        if (size === undefined && isRecord) continue;
        const total = counter.pinned - (size ?? 0) + tokens;
        if (total > counter.limit && counter.agent === agent) {
          throw overBudget(counter.pinned, counter.limit, tokens, "write", await readPins(tx, agent), canCompact);
        }
        if (size === undefined) continue;
        keepSize(tx, counter.agent, { uri, tokens, version, total, fits: total <= counter.limit });
      }
    },
    async forget(tx, uri, owner) {
      tx.send(
        "select from budget where agent in (select agent from pin where uri = $1 and owner = $2) order by agent for update",
        [uri, owner],
      );
      return removePins(tx, "uri = $1 and owner = $2", [uri, owner]);
    },
    async status(agent) {
      const { rows } = await database.query<CounterRow & (PinRow | { readonly uri: null })>(STATUS, [agent]);
      const counter = rows[0] === undefined ? { pinned: 0, limit } : toCounter(rows[0]);
      const pins = rows.flatMap((row) => (row.uri === null ? [] : [toPin(row)]));
      return toBudgetStatus(counter.pinned, counter.limit, pins);
    },
    async setLimit(agent, tokens) {
      if (!Number.isSafeInteger(tokens) || tokens < 0) {
        throw new IkigaiError("invalid_input", `${tokens} is not a number of tokens`, { hint: "Use a whole number." });
      }
      await database.transaction(async (tx) => {
        const { pinned } = await lockCounter(tx, agent, limit);
        if (pinned > tokens) throw overBudget(pinned, tokens, 0, "limit", await readPins(tx, agent), canCompact);
        tx.send("update budget set max_tokens = $2 where agent = $1", [agent, tokens]);
      });
    },
  };
}

interface CounterRow {
  readonly agent: string;
  readonly pinned: string;
  readonly max_tokens: string;
}

const ADD_COUNTER = "insert into budget (agent, max_tokens) values ($1, $2) on conflict (agent) do nothing";
const COUNTER = "select agent, pinned, max_tokens from budget where agent = $1";

/** Counter and pins of one moment. Whoever pinned something has a counter. */
const STATUS = `
  select b.agent, b.pinned, b.max_tokens, p.uri, p.owner, p.tokens, p.version, p.behind
  from budget b left join pin p on p.agent = b.agent where b.agent = $1 order by p.uri`;

function toCounter({ agent, pinned, max_tokens }: CounterRow): Counter {
  return { agent, pinned: Number(pinned), limit: Number(max_tokens) };
}

/** Contract: what is asked after it, also without waiting for it, is as it stays until the transaction ends. */
async function lockCounter(tx: Transaction, agent: string, limit: number): Promise<Counter> {
  tx.send(ADD_COUNTER, [agent, limit]);
  const { rows } = await tx.query<CounterRow>(`${COUNTER} for update`, [agent]);
  return toCounter(rows[0] as CounterRow);
}

/** The counters of the writer and of everybody who pinned the text, locked in one order so that nobody waits in a ring. */
async function lockCounters(
  tx: Transaction,
  agent: string,
  uri: string,
  owner: string,
  limit: number,
): Promise<Counter[]> {
  tx.send(ADD_COUNTER, [agent, limit]);
  const { rows } = await tx.query<CounterRow>(
    `select agent, pinned, max_tokens from budget
     where agent = $1 or agent in (select agent from pin where uri = $2 and owner = $3)
     order by agent for update`,
    [agent, uri, owner],
  );
  return rows.map(toCounter);
}

/** What each agent that pinned a text has reserved for it. */
async function readSizes(tx: Sql, uri: string, owner: string): Promise<ReadonlyMap<string, number>> {
  const { rows } = await tx.query<{ agent: string; tokens: string }>(
    "select agent, tokens from pin where uri = $1 and owner = $2",
    [uri, owner],
  );
  return new Map(rows.map((row) => [row.agent, Number(row.tokens)]));
}

function keepSize(
  tx: Transaction,
  agent: string,
  { uri, tokens, version, total, fits }: Pick<Resize, "uri" | "tokens" | "version"> & { total: number; fits: boolean },
): void {
  if (!fits) {
    tx.send("update pin set behind = true where agent = $1 and uri = $2", [agent, uri]);
    return;
  }
  tx.send("update pin set tokens = $3, version = $4, behind = false where agent = $1 and uri = $2", [
    agent,
    uri,
    tokens,
    version,
  ]);
  tx.send("update budget set pinned = $2 where agent = $1", [agent, total]);
}

/** Contract: the counters of the agents concerned are locked. Gives whose pins they were. */
async function removePins(tx: Sql, condition: string, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await tx.query<{ agent: string }>(
    `with gone as (delete from pin where ${condition} returning agent, tokens),
       freed as (update budget b set pinned = b.pinned - g.tokens
         from (select agent, sum(tokens) as tokens from gone group by agent) g where b.agent = g.agent)
     select agent from gone order by agent`,
    values,
  );
  return rows.map(({ agent }) => agent);
}

async function readPins(sql: Sql, agent: string, uri?: string): Promise<Pin[]> {
  const { rows } = await sql.query<PinRow>(
    `select uri, owner, tokens, version, behind from pin
     where agent = $1 and ($2::text is null or uri = $2) order by uri`,
    [agent, uri ?? null],
  );
  return rows.map(toPin);
}

interface PinRow extends Omit<Pin, "tokens"> {
  readonly tokens: string;
}

function toPin({ uri, owner, tokens, version, behind }: PinRow): Pin {
  return { uri, owner, tokens: Number(tokens), version, behind };
}
