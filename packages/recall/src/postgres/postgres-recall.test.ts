import { afterAll, beforeAll, describe, test } from "vitest";
import { testRecallStore } from "../testing/index.ts";
import { createPostgresRecall } from "./postgres-recall.ts";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";

describe("the archive in PostgreSQL", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  testRecallStore({
    test,
    async open(options) {
      await database.fresh();
      return { store: createPostgresRecall(database.client, options) };
    },
  });
});
