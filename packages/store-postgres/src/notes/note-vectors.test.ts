import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { createNoteVectors, storeMigrations } from "../index.ts";

const vector = (
  uri: string,
  version: string,
  ...numbers: number[]
): object & { uri: string; version: string } & {
  vector: Float32Array;
} => ({ uri, version, vector: Float32Array.from(numbers) });

describe.each(testEngines())("vectors of notes on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("are kept by scope and mount, replaced by address, of one model, and removed", async () => {
    const database = await engine.fresh({ sets: [storeMigrations] });
    const vectors = createNoteVectors(database, "here");
    await vectors.save("small", [vector("file:///a", "1", 0.5, -1), vector("ikigai:///b", "1", 2, 3)]);
    await vectors.save("small", [vector("file:///a", "2", 0.25, 1e-3)]);
    await createNoteVectors(database, "there").save("large", [vector("file:///a", "9", 9)]);
    expect(await vectors.load("small", "file")).toEqual([vector("file:///a", "2", 0.25, 1e-3)]);
    expect(await vectors.load("large", "file")).toEqual([]);
    await vectors.save("large", [vector("file:///c", "1", 1, 2, 3)]);
    expect(await vectors.load("small", "file")).toEqual([]);
    expect(await vectors.load("small", "ikigai")).toEqual([]);
    await vectors.remove(["file:///c", "file:///none"]);
    expect(await vectors.load("large", "file")).toEqual([]);
    expect(await createNoteVectors(database, "there").load("large", "file")).toHaveLength(1);
  });
});
