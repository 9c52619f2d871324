import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { configSchema } from "@ikigai/host/configuration";

test("the published JSON Schema is the one the program checks by", async () => {
  const file = new URL("../schema/ikigai.config.schema.json", import.meta.url);
  const { $id: _, title: __, ...published } = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  expect(published).toEqual(z.toJSONSchema(configSchema));
});
