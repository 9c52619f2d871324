import type { AddCommand } from "../command-line.ts";
import { addAudit } from "./audit.ts";
import { addDemo } from "./demo.ts";
import { addDoctor } from "./doctor.ts";
import { addInit } from "./init.ts";
import { addLogin } from "./login.ts";
import { addMcp } from "./mcp.ts";
import { addNotes } from "./notes.ts";
import { addPermission } from "./permission.ts";
import { addPlugin } from "./plugin.ts";
import { addRecall } from "./recall.ts";
import { addRun } from "./run.ts";
import { addSlashCommands } from "./slash.ts";
import { addSources } from "./sources.ts";
import { addStore } from "./store.ts";
import { addTool } from "./tool.ts";
import { addTools } from "./tools.ts";
import { addTrust } from "./trust.ts";

export { showOverview } from "./overview.ts";

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly AddCommand[] = [
  addTool,
  addTools,
  addSources,
  addRun,
  addSlashCommands,
  addStore,
  addAudit,
  addPermission,
  addTrust,
  addMcp,
  addNotes,
  addRecall,
  addPlugin,
  addLogin,
  addInit,
  addDoctor,
  addDemo,
];
