import type { MigrationSet } from "@ikigai/database";

/** The tables of stored assets. Paths and owners compare by bytes, whatever the server's locale. */
export const assetMigrations: MigrationSet = {
  name: "source-postgres",
  migrations: [
    {
      id: "0001-assets",
      sql: `
        create table asset (
          owner text collate "C" not null,
          path text collate "C" not null,
          content text not null,
          version bigint not null,
          tokens integer not null check (tokens >= 0),
          bytes integer not null,
          category text not null check (category in ('block', 'skill', 'preference')),
          description text not null default '',
          read_only boolean not null default false,
          archived boolean not null default false,
          created_at timestamptz not null,
          updated_at timestamptz not null,
          primary key (owner, path)
        );
        create table asset_revision (
          owner text collate "C" not null,
          number bigint not null,
          path text collate "C" not null,
          change text not null check (change in ('created', 'updated', 'removed')),
          content text,
          author text,
          reason text,
          at timestamptz not null,
          primary key (owner, number)
        );
        create index asset_revision_path on asset_revision (owner, path, number desc);
        create index asset_revision_at on asset_revision (owner, at);
        create table asset_share (
          owner text collate "C" not null,
          path text collate "C" not null,
          agent text collate "C" not null,
          permission text not null,
          primary key (agent, path, owner)
        );
        create index asset_share_owner on asset_share (owner, path);
        create table asset_clock (
          owner text collate "C" primary key,
          number bigint not null
        );
      `,
    },
    { id: "0002-program", sql: "alter table asset_revision add column program text;" },
    {
      id: "0003-shared-revisions",
      sql: "alter table asset_revision add column kept_start integer, add column kept_end integer;",
    },
  ],
};

/** Every table, for moving a store. */
export const assetTables: readonly { readonly name: string }[] = [
  { name: "asset" },
  { name: "asset_revision" },
  { name: "asset_share" },
  { name: "asset_clock" },
];
