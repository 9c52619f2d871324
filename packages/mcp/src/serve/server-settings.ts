import type { McpServerOptions, LogLevel } from "./server-options.ts";
import type { Sdk } from "./sdk.ts";
import type { UpdateHub } from "./resources/update-hub.ts";

/** The options of a server with every default filled in, and the library it speaks through. */
export interface ServerSettings {
  readonly sdk: typeof Sdk;
  readonly options: McpServerOptions;
  readonly agent: string;
  readonly maxAnswerSize: number;
  readonly pageSize: number;
  readonly approvalWaitMs: number;
  readonly updates: UpdateHub;
  readonly log: (level: LogLevel, message: string) => void;
}
