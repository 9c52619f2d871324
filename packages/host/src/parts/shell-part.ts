import { definePart, type Part } from "@ikigai/core/host";
import { z } from "zod";
import type { ShellOptions } from "./shell.ts";

/** Commands, search, and the jobs that run in the background. */
export function createShellPart(given: Pick<ShellOptions, "root" | "own" | "redactor">): Part<object> {
  return definePart({
    name: "shell",
    options: z.strictObject({}),
    needs: ["blockService", "outputs"],
    async open(_, { sources, shorten, services: { blockService, outputs }, warn }) {
      if (blockService === undefined || outputs === undefined) return {};
      const { openShell } = await import("./shell.ts");
      return openShell({ ...given, sources, shorten, blocks: blockService, outputFolder: outputs.folderOf, warn });
    },
  });
}
