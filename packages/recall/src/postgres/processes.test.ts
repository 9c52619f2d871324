import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, test } from "vitest";
import { expectAllOnce } from "./insert-from-processes.test.helper.ts";

describe.each(testEngines())("four processes on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("insert and search at once: all is there, each once", { timeout: 60_000 }, async () => {
    await expectAllOnce(engine, 60);
  });
});
