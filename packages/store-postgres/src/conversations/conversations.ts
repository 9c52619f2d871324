import { randomUUID } from "node:crypto";
import { IkigaiError } from "@ikigai/core";
import type { Conversations, StoredManifest, StoredMessage } from "@ikigai/core/host";
import { type Database, databaseCause, isConnectionLoss, type Sql, sqlState } from "@ikigai/database";
import { setTimeout as delay } from "node:timers/promises";
import { addManifest, findManifest } from "./manifests.ts";
import { noConversation } from "./no-conversation.ts";

export interface ConversationsOptions<M> {
  /** Names a conversation by its messages. */
  readonly titleOf: (messages: readonly M[]) => string;
  /** Default: the machine's. */
  readonly clock?: () => Date;
}

interface ConversationRow {
  readonly id: string;
  readonly agent: string;
  readonly started_at: Date;
  readonly count: number;
  readonly first: readonly string[] | null;
  readonly last: string | null;
  readonly workspace: string | null;
}

/** The first messages are enough for a title. */
const LIST = `
  select c.id, c.agent, c.started_at, c.workspace, coalesce(m.count, 0)::int as count, m.last,
    (select array_agg(data order by position) from (select data, position from message
      where conversation = c.id and not hidden order by position limit 8) f) as first
  from conversation c left join lateral (
    select count(*) as count, (array_agg(data order by position desc))[1] as last
    from message where conversation = c.id and not hidden) m on true
  where c.agent = $1 order by c.started_at desc, c.id desc`;

interface MessageRow {
  readonly position: string;
  readonly data: string;
}

const READ_FROM = `
  select m.position, m.data from conversation c
    left join message m on m.conversation = c.id and not m.hidden and m.position >= $2
  where c.id = $1 order by m.position`;

/** One statement, so that a commit is all that it waits for. Gives a row when there is such a conversation. */
const APPEND = `
  with added as (
    insert into message (conversation, position, id, data)
    select c.id, coalesce((select max(position) from message where conversation = $1), 0) + m.place, m.id, m.data
    from conversation c, unnest($2::text[], $3::text[]) with ordinality as m (id, data, place) where c.id = $1
    on conflict (conversation, id) do nothing)
  select from conversation where id = $1`;

/** The SQLSTATE of a row whose key is taken. */
const TAKEN = "23505";
const ATTEMPTS = 20;

export function createConversations<M extends StoredMessage, Manifest extends StoredManifest>(
  database: Database,
  { titleOf, clock = () => new Date() }: ConversationsOptions<M>,
): Conversations<M, Manifest> {
  /** The conversation that was read last, since every turn reads its own. What is known of it is not read again. */
  let known:
    | { readonly id: string; readonly last: MessageRow | undefined; readonly messages: readonly M[] }
    | undefined;

  /** Contract: `undefined` when what is known is not the beginning of the conversation any more. */
  async function readOn(id: string, { last, messages }: Pick<NonNullable<typeof known>, "last" | "messages">) {
    const { rows } = await database.query<MessageRow>(READ_FROM, [id, last?.position ?? 0]);
    if (rows.length === 0) throw noConversation(id);
    const found = rows.filter(({ position }) => position !== null);
    // Going back hides everything behind a position, so whoever sees the last message sees all before it.
    if (last !== undefined && (found[0]?.position !== last.position || found[0].data !== last.data)) return undefined;
    const fresh = found.slice(last === undefined ? 0 : 1).map(({ data }) => JSON.parse(data) as M);
    return { id, last: found.at(-1), messages: fresh.length === 0 ? messages : [...messages, ...fresh] };
  }

  async function add(tx: Sql, agent: string, workspace: string | null): Promise<string> {
    const id = randomUUID();
    await tx.query("insert into conversation (id, agent, started_at, workspace) values ($1, $2, $3, $4)", [
      id,
      agent,
      clock(),
      workspace,
    ]);
    return id;
  }

  return {
    create: (agent, workspace) => database.transaction((tx) => add(tx, agent, workspace ?? null)),
    async list(agent) {
      const { rows } = await database.query<ConversationRow>(LIST, [agent]);
      return rows.map(({ id, started_at, count, first, last, workspace }) => ({
        id,
        agent,
        started_at: started_at.toISOString(),
        updated_at: last === null ? started_at.toISOString() : (JSON.parse(last) as M).at,
        title: titleOf((first ?? []).map((data) => JSON.parse(data) as M)),
        messages: count,
        ...(workspace !== null && { workspace }),
      }));
    },
    async messages(id) {
      const nothing = { last: undefined, messages: [] };
      const begun = known?.id === id ? known : nothing;
      known = (await readOn(id, begun)) ?? (await readOn(id, nothing));
      return known?.messages ?? [];
    },
    append: (id, messages) => appendMessages(database, id, messages),
    fork: (id) =>
      database.transaction(async (tx) => {
        await lockConversation(tx, id);
        const { rows } = await tx.query<{ agent: string; workspace: string | null }>(
          "select agent, workspace from conversation where id = $1",
          [id],
        );
        const copy = await add(tx, rows[0]?.agent ?? "", rows[0]?.workspace ?? null);
        await tx.query(
          `insert into message (conversation, position, id, data)
           select $2, position, id, data from message where conversation = $1 and not hidden`,
          [id, copy],
        );
        return copy;
      }),
    ...goingBack(database),
    async discardEmpty(id) {
      await database.query(
        "delete from conversation where id = $1 and not exists (select from message where conversation = $1)",
        [id],
      );
    },
    ...keptManifests<Manifest>(database, clock),
  };
}

async function appendMessages(database: Database, id: string, messages: readonly StoredMessage[]): Promise<void> {
  const values = [id, messages.map((message) => message.id), messages.map((message) => JSON.stringify(message))];
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { count } = await database.query(APPEND, values);
      if (count === 0) throw noConversation(id);
      return;
    } catch (error) {
      // A place that somebody else took, or an answer that was lost: a message is taken once, so asking again is right.
      const cause = databaseCause(error);
      if (attempt >= ATTEMPTS || (sqlState(cause) !== TAKEN && !isConnectionLoss(cause))) throw error;
      await delay(Math.random() * 5 * attempt);
    }
  }
}

/** Marks in a conversation, and the ways back to what was before. */
function goingBack(database: Database): Pick<Conversations, "mark" | "rewind" | "rewindBefore"> {
  return {
    async mark(id, name) {
      await database.transaction(async (tx) => {
        const position = await lockConversation(tx, id);
        await tx.query(
          `insert into conversation_mark (conversation, name, position) values ($1, $2, $3)
           on conflict (conversation, name) do update set position = $3`,
          [id, name, position],
        );
        return null;
      });
    },
    async rewind(id, mark) {
      await database.transaction(async (tx) => {
        await lockConversation(tx, id);
        const { rows } = await tx.query<{ name: string; position: string }>(
          "select name, position from conversation_mark where conversation = $1 order by name",
          [id],
        );
        const found = rows.find(({ name }) => name === mark);
        if (found === undefined) throw unknownMark(mark, rows);
        await tx.query("update message set hidden = true where conversation = $1 and position > $2", [
          id,
          found.position,
        ]);
        return null;
      });
    },
    async rewindBefore(id, message) {
      await database.transaction(async (tx) => {
        await lockConversation(tx, id);
        const { count } = await tx.query(
          `update message set hidden = true where conversation = $1 and not hidden and position >=
             (select position from message where conversation = $1 and id = $2 and not hidden)`,
          [id, message],
        );
        if (count === 0)
          throw new IkigaiError("not_found", `The conversation has no message ${JSON.stringify(message)}`);
        return null;
      });
    },
  };
}

/** What was sent of a conversation, by request. */
function keptManifests<Manifest extends StoredManifest>(
  database: Database,
  clock: () => Date,
): Pick<Conversations<StoredMessage, Manifest>, "saveManifest" | "lastManifest" | "recordManifest" | "findManifest"> {
  return {
    async saveManifest(id, manifest) {
      const { count } = await database.query("update conversation set manifest = $2 where id = $1", [
        id,
        JSON.stringify(manifest),
      ]);
      if (count === 0) throw noConversation(id);
    },
    async lastManifest(id) {
      const { rows } = await database.query<{ manifest: string | null }>(
        "select manifest from conversation where id = $1",
        [id],
      );
      if (rows[0] === undefined) throw noConversation(id);
      return rows[0].manifest === null ? undefined : (JSON.parse(rows[0].manifest) as Manifest);
    },
    async recordManifest(id, manifest, turn) {
      const request = { turn, at: clock() };
      if (await addManifest(database, id, manifest, request)) return;
      await database.transaction(async (tx) => {
        await lockConversation(tx, id);
        await addManifest(tx, id, manifest, request);
        return null;
      });
    },
    findManifest: (id, which = {}) => findManifest<Manifest>(database, id, which),
  };
}

/** Gives the last position taken, hidden ones included. */
async function lockConversation(tx: Sql, id: string): Promise<number> {
  const { count } = await tx.query("select from conversation where id = $1 for update", [id]);
  if (count === 0) throw noConversation(id);
  const { rows } = await tx.query<{ last: string | null }>(
    "select max(position) as last from message where conversation = $1",
    [id],
  );
  return Number(rows[0]?.last ?? 0);
}

function unknownMark(mark: string, marks: readonly { readonly name: string }[]): IkigaiError {
  const names = marks.map(({ name }) => name).join(", ");
  return new IkigaiError("not_found", `There is no mark ${JSON.stringify(mark)}`, {
    hint: names === "" ? "Set a mark first." : `Marks are: ${names}.`,
  });
}
