/** One step of the schema. */
export interface RecallMigration {
  readonly id: string;
  readonly sql: string;
}

/**
 * The tables of recall, for any PostgreSQL from version 14, without extensions.
 *
 * A posting's key is one owner's term as a number (see `text/term-key.ts`). Common terms are counted
 * by samples. Counters are spread over slots so that writers do not wait for each other. Searches and inserts are functions,
 * so that each connection plans them once; they leave the planner one way to go, whatever it thinks of the sizes: `offset 0`
 * keeps a lookup by id a lookup by id, an order that only one index has keeps it to that index.
 */
export const recallMigrations: readonly RecallMigration[] = [
  {
    id: "0001-recall",
    sql: `
create sequence recall_entry_id;

create table recall_entry (
  id bigint primary key,
  owner text not null,
  kind text not null,
  content text not null,
  hash text,
  label text not null,
  metadata jsonb not null,
  provenance jsonb not null,
  thread text,
  ord double precision,
  sort double precision not null,
  occurred_at timestamptz,
  created_at timestamptz not null,
  at timestamptz not null,
  supersedes bigint,
  superseded_by bigint,
  address text,
  live boolean not null default true,
  erased_at timestamptz,
  erased_by text,
  erased_reason text,
  analyser text not null,
  speaker text[] not null,
  asks boolean not null,
  tells_time boolean not null,
  dates integer[] not null
);
create unique index recall_entry_hash on recall_entry (owner, hash) where live and kind = 'entry';
create unique index recall_entry_address on recall_entry (owner, address) where address is not null;
create index recall_entry_scan on recall_entry (owner, id) where kind = 'entry';
create index recall_entry_thread on recall_entry (owner, kind, thread, sort, id) where live and thread is not null;
create index recall_entry_at on recall_entry (owner, kind, at, id) where live;
create index recall_entry_superseded on recall_entry (superseded_by) where superseded_by is not null;

create table recall_posting (
  key bigint not null,
  entry bigint not null,
  impact smallint not null,
  primary key (key, entry) include (impact)
);
create index recall_posting_sample on recall_posting (key) where entry % 16 = 0;

create table recall_count (
  owner text not null,
  kind text not null,
  slot smallint not null,
  entries bigint not null,
  primary key (owner, kind, slot)
);

create table recall_vector (
  entry bigint not null references recall_entry (id) on delete cascade,
  model text not null,
  dimensions integer not null,
  owner text not null,
  kind text not null,
  bits bit varying not null,
  value bytea not null,
  primary key (model, entry)
);
alter table recall_vector alter column value set storage external;
create index recall_vector_sift on recall_vector (owner, model, kind) include (entry, bits);
create index recall_vector_entry on recall_vector (entry);
`,
  },
  {
    id: "0002-recall-samples",
    sql: `
create index recall_posting_sample_256 on recall_posting (key) where entry % 256 = 0;
create index recall_posting_sample_4096 on recall_posting (key) where entry % 4096 = 0;
`,
  },
  {
    id: "0003-recall-identity",
    sql: `
create unique index recall_entry_identity on recall_entry
  (owner, hash, coalesce(thread, ''), coalesce(ord, 'NaN'::float8), coalesce(occurred_at, '-infinity'::timestamptz))
  where live and kind = 'entry';
drop index recall_entry_hash;
create index recall_entry_old on recall_entry (owner, hash) where superseded_by is not null and erased_at is null;
`,
  },
  {
    id: "0004-recall-functions",
    sql: `
create function recall_found(p_owner text, p_kinds text[], p_keys bigint[])
returns table (i int, found float8) language plpgsql stable
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $body$
#variable_conflict use_column
begin
  return query
  select t.i::int, coalesce(
    (select n * 4096 from (select count(*) as n from (
      select 1 from recall_posting p where p.key = t.key and p.entry % 4096 = 0 limit 2048) c) s where n >= 64),
    (select n * 256 from (select count(*) as n from (
      select 1 from recall_posting p where p.key = t.key and p.entry % 256 = 0 limit 2048) c) s where n >= 64),
    (select n * 16 from (select count(*) as n from (
      select 1 from recall_posting p where p.key = t.key and p.entry % 16 = 0 limit 2048) c) s where n >= 64),
    (select count(*) from (select 1 from recall_posting p where p.key = t.key limit 2048) c))::float8
  from unnest(p_keys) with ordinality as t(key, i)
  union all
  select 0, coalesce(sum(c.entries), 0)::float8 from recall_count c where c.owner = p_owner and c.kind = any (p_kinds);
end $body$;

create function recall_pool(p_owner text, p_kinds text[], p_keys bigint[], p_rarities int[], p_bits int[], p_caps int[],
  p_partial boolean, p_probed int, p_candidates int, p_similar bigint[], p_from timestamptz[], p_to timestamptz[], p_dated int,
  p_reach int)
returns table (id text, words float8, mask int, thread text, occurred_at float8, created_at float8, speaker text[],
  asks boolean, tells_time boolean, dates int[], before text[], after text[], eligible boolean) language plpgsql stable
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $body$
#variable_conflict use_column
begin
  return query
  with term as materialized (
    select * from unnest(p_keys, p_rarities, p_bits, p_caps) as t(key, rarity, bit, cap)
  ), scored as materialized (
    select p.entry, sum(t.rarity * p.impact)::float8 as words, bit_or(t.bit) as mask
    from term t cross join lateral (
      select entry, impact from recall_posting where key = t.key order by entry desc limit t.cap) p
    where t.cap > 0
    group by p.entry
  ), best as materialized (
    select entry, words from scored order by words desc, entry desc limit p_probed
  ), strongest as (
    select entry from (
      select entry, words from best
      union all
      select p.entry, t.rarity * p.impact from term t cross join lateral (
        select entry, impact from recall_posting
        where key = t.key and entry = any (array(select entry from best)) offset 0) p
      where t.cap = 0) b
    group by entry order by sum(words) desc, entry desc limit p_candidates
  ), seed as (
    select entry from strongest
    union select unnest(p_similar)
    union select d.id from unnest(p_from, p_to) as w(starts, ends) cross join lateral (
      select e.id from recall_entry e
      where e.owner = p_owner and e.live and e.kind = any (p_kinds) and e.at >= w.starts and e.at < w.ends
      order by e.at, e.id limit p_dated) d
  ), line as materialized (
    select e.id,
      array(select n.id from recall_entry n
        where n.owner = e.owner and n.kind = e.kind and n.thread = e.thread and n.live and (n.sort, n.id) < (e.sort, e.id)
        order by n.sort desc, n.id desc limit p_reach) as before,
      array(select n.id from recall_entry n
        where n.owner = e.owner and n.kind = e.kind and n.thread = e.thread and n.live and (n.sort, n.id) > (e.sort, e.id)
        order by n.sort, n.id limit p_reach) as after
    from seed cross join lateral (select * from recall_entry where id = seed.entry offset 0) e
    where e.owner = p_owner and e.live and e.kind = any (p_kinds)
  ), wanted as materialized (
    select id from line union select unnest(before) from line union select unnest(after) from line
  ), member as (
    select id, sum(words) as words, bit_or(mask) as mask, max(before) as before, max(after) as after from (
      select id, 0::float8 as words, 0 as mask, null::bigint[] as before, null::bigint[] as after from wanted
      union all
      select id, 0, 0, before, after from line
      union all
      select entry, words, mask, null, null from scored
      where not p_partial and (entry in (select id from wanted)) is true
      union all
      select p.entry, t.rarity * p.impact, t.bit, null, null from term t cross join lateral (
        select entry, impact from recall_posting
        where key = t.key and entry = any (array(select id from wanted)) offset 0) p
      where p_partial or t.cap = 0) u
    group by id
  )
  select e.id::text, member.words::float8, member.mask::int, e.thread,
    (extract(epoch from e.occurred_at) * 1000)::float8, (extract(epoch from e.created_at) * 1000)::float8,
    e.speaker, e.asks, e.tells_time, e.dates, member.before::text[], member.after::text[], true
  from member cross join lateral (select * from recall_entry where id = member.id offset 0) e
  where e.owner = p_owner and e.live;
end $body$;
`,
  },
  {
    id: "0005-recall-insert",
    sql: `
create function recall_insert(p_owner text, p_texts jsonb, p_now timestamptz, p_analyser text, p_places int[], p_keys bigint[],
  p_impacts smallint[], p_unless text[], p_slot int)
returns table (n int, id text) language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $body$
#variable_conflict use_column
begin
  return query
  with input as materialized (
    select nextval('recall_entry_id') as id, j.* from jsonb_to_recordset(p_texts) as j(
      n int, kind text, content text, hash text, label text, metadata jsonb, provenance jsonb, thread text, ord float8,
      occurred_at timestamptz, supersedes bigint, address text, speaker jsonb, asks boolean, tells_time boolean, dates jsonb)
    where not exists (select 1 from unnest(p_unless) as h(hash) cross join lateral (
        select 1 from recall_entry e
        where e.owner = p_owner and e.hash >= h.hash and e.hash <= h.hash and e.live and e.kind = 'entry'
        order by e.hash limit 1) k)
      and not exists (select 1 from unnest(p_unless) as h(hash) cross join lateral (
        select 1 from recall_entry e
        where e.owner = p_owner and e.hash >= h.hash and e.hash <= h.hash
          and e.superseded_by is not null and e.erased_at is null
        order by e.hash limit 1) k)
  ), stored as (
    insert into recall_entry (id, owner, kind, content, hash, label, metadata, provenance, thread, ord, sort, occurred_at,
      created_at, at, supersedes, address, analyser, speaker, asks, tells_time, dates)
    select id, p_owner, kind, content, hash, label, metadata, provenance, thread, ord, coalesce(ord, id), occurred_at,
      p_now, coalesce(occurred_at, p_now), supersedes, address, p_analyser,
      array(select jsonb_array_elements_text(speaker)), asks, tells_time,
      array(select value::int from jsonb_array_elements_text(dates))
    from input order by n
    on conflict do nothing
    returning id, kind
  ), posted as (
    insert into recall_posting (key, entry, impact)
    select p.key, stored.id, p.impact
    from unnest(p_places, p_keys, p_impacts) as p(n, key, impact)
    join input using (n) join stored on stored.id = input.id
    on conflict do nothing
  ), counted as (
    insert into recall_count as c (owner, kind, slot, entries)
    select p_owner, kind, p_slot, count(*) from stored group by kind
    on conflict (owner, kind, slot) do update set entries = c.entries + excluded.entries
  )
  select input.n, input.id::text from input join stored using (id);
end $body$;
`,
  },
];

/** The tables whose rows make an archive, for moving it between stores. */
export const recallTables: readonly {
  readonly name: string;
  readonly sequence?: { readonly name: string; readonly column: string };
}[] = [
  { name: "recall_entry", sequence: { name: "recall_entry_id", column: "id" } },
  { name: "recall_posting" },
  { name: "recall_count" },
  { name: "recall_vector" },
];
