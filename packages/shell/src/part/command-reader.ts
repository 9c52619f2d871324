import type { CommandReader } from "@ikigai/core/host";
import { commandPlaces } from "../command/command-places.ts";
import { commandOpinion } from "../command/command-rules.ts";
import { parseCommand } from "../command/parse-command.ts";

/** Reads command lines for the policy of a host. */
export const commandReader: CommandReader = {
  placesOf: commandPlaces,
  allows: (rule, command) => commandOpinion([rule], command).decision === "allow",
  isUnderstood: (command) => parseCommand(command).understood,
};
