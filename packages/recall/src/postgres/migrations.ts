/** One step of the schema. */
export interface RecallMigration {
  readonly id: string;
  readonly sql: string;
}

/**
 * The tables of recall, for any PostgreSQL from version 14, without extensions.
 *
 * A posting's key is one owner's term as a number (see `text/term-key.ts`). Common terms are counted
 * by samples. Counters are spread over slots so that writers do not wait for each other.
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
];

/** Every how many entries one is in a sample by which common terms are counted, the smallest sample first. */
export const SAMPLES = [4_096, 256, 16] as const;

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
