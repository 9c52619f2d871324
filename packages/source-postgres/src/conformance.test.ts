import { testDataBlock, testDataStream } from "@ikigai/core/testing";
import { openDatabase } from "@ikigai/database";
import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, test } from "vitest";
import { assetMigrations, createAssetStore, postgresAssets } from "./index.ts";
import { assetChanges } from "./asset-changes.ts";

describe.each(testEngines())("on the $name engine", (engine) => {
  afterAll(() => engine.stop());
  const options = async (): Promise<unknown> => {
    const database = await engine.fresh({ sets: [assetMigrations] });
    await database.close();
    return engine.optionsOf(database);
  };

  describe("a source of assets", () => {
    testDataBlock({ test, source: postgresAssets, options });
  });

  describe("the stream of asset changes", () => {
    testDataStream({
      test,
      source: assetChanges,
      options,
      async provoke(place: Parameters<typeof openDatabase>[0], count) {
        const database = openDatabase(place);
        const store = createAssetStore(database);
        for (let index = 0; index < count; index += 1) {
          await store.write(`${index}.md`, "text", { agent: "default" });
        }
        await database.close();
      },
    });
  });
});
