import { writeFile } from "node:fs/promises";
import type { Database } from "@ikigai/database";
import type { RecallStore } from "@ikigai/recall";
import { createWriter } from "./data.ts";

/** Brings the number of an owner's assets of 1 kB to `size`, quicker than by writing each. */
export async function seedAssets(database: Database, owner: string, size: number): Promise<void> {
  const STEP = 10_000;
  for (let from = 0; from < size; from += STEP) {
    await database.query(
      `insert into asset (owner, path, content, version, tokens, bytes, category, created_at, updated_at)
       select $1, 'seeded/asset' || n || '.md', repeat('w1x ', 250), n + 1, 250, 1000, 'block', now(), now()
       from generate_series($2::int, $3::int - 1) n on conflict do nothing`,
      [owner, from, Math.min(size, from + STEP)],
    );
  }
  // Versions are counted per owner; the next one must lie above those that were given here.
  await database.query(
    "insert into asset_clock values ($1, $2) on conflict (owner) do update set number = greatest(asset_clock.number, $2)",
    [owner, size],
  );
  await database.query("analyze asset");
}

/** A memory file of the reference server with `size` entities. */
export async function seedMemoryFile(file: string, size: number): Promise<void> {
  const write = createWriter(11);
  const lines = Array.from({ length: size }, (_, index) =>
    JSON.stringify({ type: "entity", name: `seeded${index}`, entityType: "fact", observations: [write(20)] }),
  );
  await writeFile(file, lines.join("\n"));
}

/** Inserts the same texts into an archive of ours. */
export async function seedRecall(store: RecallStore, owner: string, size: number, from = 0): Promise<void> {
  const write = createWriter(11);
  for (let skipped = 0; skipped < from; skipped++) write(20);
  const STEP = 500;
  for (let at = from; at < size; at += STEP) {
    const entries = Array.from({ length: Math.min(STEP, size - at) }, () => ({ content: write(20) }));
    await store.insert(entries, { owner });
  }
}
