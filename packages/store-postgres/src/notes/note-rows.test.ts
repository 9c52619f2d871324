import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { createNoteRows, storeMigrations } from "../index.ts";

interface Row {
  readonly uri: string;
  readonly mount: string;
  readonly version: string;
}

const row = (path: string, version: string): Row => ({ uri: `file:///${path}`, mount: "file", version });

describe.each(testEngines())("rows of a note index on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("are kept by scope, replaced by address and removed", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const rows = createNoteRows<Row>(database, "here");
    await rows.save([row("a", "1"), row("b's", "1")]);
    await rows.save([row("a", "2")]);
    await rows.save([]);
    await createNoteRows<Row>(database, "there").save([row("a", "9")]);
    const loaded = await rows.load("file");
    expect(loaded.toSorted((x, y) => (x.uri < y.uri ? -1 : 1))).toEqual([row("a", "2"), row("b's", "1")]);
    expect(await rows.load("other")).toEqual([]);
    await rows.remove(["file:///b's", "file:///none"]);
    await rows.remove([]);
    expect(await rows.load("file")).toEqual([row("a", "2")]);
  });
});
