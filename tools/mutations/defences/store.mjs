// Defences of the store, and of what the terminal shows.

/** @type {import("../defence.d.mts").Defence[]} */
export const store = [
  {
    name: "A pin that does not fit is refused",
    file: "packages/store-postgres/src/budget.ts",
    old: '      if (total > counter.limit) {\n        throw overBudget(counter.pinned, counter.limit, tokens, "pin"',
    new: '      if (total > counter.limit * 1_000) {\n        throw overBudget(counter.pinned, counter.limit, tokens, "pin"',
    test: "packages/store-postgres/src/budget.test.ts",
  },
  {
    name: "A holder on another machine is never robbed",
    file: "packages/database/src/keeper/store-lock.ts",
    old: '  if (!sameKernel) return "elsewhere";',
    new: '  if (!sameKernel) return "dead";',
    test: "packages/database/src/keeper/store-lock.test.ts",
    title: "a holder that is",
  },
  {
    name: "Of many that ask for a store one gets it",
    file: "packages/database/src/keeper/store-lock.ts",
    old: "    if (!(await createRecord(store, number, holder))) continue;",
    new: "    await createRecord(store, number, holder);",
    test: "packages/database/src/keeper/store-lock.test.ts",
    title: "goes to one of many that ask at once",
  },
  {
    name: "A store that is newer than the program is left alone",
    file: "packages/database/src/migrate.ts",
    old: "    if (unknown.length > 0) throw newerSchema(name, unknown);",
    new: "    void unknown;",
    test: "packages/database/src/database.test.ts",
    title: "newer",
  },
  {
    name: "An asset is found by its owner only",
    file: "packages/source-postgres/src/find-asset.ts",
    old: "from asset a where a.owner = $1 and a.path = $2`;",
    new: "from asset a where (a.owner = $1 or $1 is not null) and a.path = $2`;",
    test: "packages/source-postgres/src/asset-source.test.ts",
    title: "keeps the assets of the agent that acts, and those of its owner when nobody does",
  },
  {
    name: "A prefix is literal",
    file: "packages/source-postgres/src/list-assets.ts",
    old: "where a.owner = $1 and a.path >= $2 and ($3::text is null or a.path < $3) and a.path > $4",
    new: "where a.owner = $1 and (a.path like $2 || '%') and $3::text is distinct from '' and a.path > $4",
    test: "packages/source-postgres/src/asset-store.test.ts",
    title: "found by any prefix of itself and by no other's",
  },
  {
    name: "No escape sequence reaches the terminal",
    file: "apps/cli/src/terminal.ts",
    old: "  return text.replace(UNSAFE, (character) =>",
    new: "  return text.replace(/\\u0000/g, (character) =>",
    test: "apps/cli/src/terminal.test.ts",
    title: "no escape sequence or direction mark reaches the terminal as such",
  },
];
