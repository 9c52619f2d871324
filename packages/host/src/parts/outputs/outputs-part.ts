import { definePart, type Part } from "@ikigai/core/host";
import { z } from "zod";
import type { Outputs } from "./outputs.ts";

/** Answers that were too long, readable under addresses of their own. */
export function createOutputsPart(outputs: Outputs): Part<object> {
  return definePart({
    name: "outputs",
    options: z.strictObject({}),
    async open() {
      await outputs.open();
      return { services: { outputs, outputFolders: outputs } };
    },
  });
}
