import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, test } from "vitest";
import { expectAllOnce } from "./insert-from-processes.test.helper.ts";

describe.each(testEngines())("four processes on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("insert a thousand each and search at once: all is there, each once", { timeout: 600_000 }, async () => {
    await expectAllOnce(engine, 1_000);
  });
});
