import type { Effect } from "@ikigai/core";
import type { ToolRegistry } from "@ikigai/core/host";
import type { McpApprovals } from "./tools/approvals.ts";
import type { ClientFacts, Presentation } from "./tools/presentation.ts";
import type { WorkspaceParts } from "./named-workspace.ts";
import type { Complete, Prompts } from "./resources/prompts.ts";
import type { Resources } from "./resources/resources.ts";

export type LogLevel = "debug" | "info" | "notice" | "warning" | "error";

/** A folder that the client works in. */
export interface ClientRoot {
  readonly uri: string;
  readonly name?: string;
}

export interface McpServerOptions {
  readonly registry: Pick<ToolRegistry, "snapshot" | "onChange">;
  /** Tools of the registry that this server offers, as for a snapshot. Default: all. */
  readonly tools?: NonNullable<Parameters<ToolRegistry["snapshot"]>[0]>;
  /** Agent on whose behalf calls run. Default `default`. */
  readonly agent?: string;
  /** Default `{ name: "ikigai", version: "0.1.0" }`. */
  readonly info?: { readonly name: string; readonly version: string; readonly title?: string };
  /** Instructions for the client's model about the server as a whole. */
  readonly instructions?: string | (() => string | undefined);
  /**
   * Names where effects change something, such as `workspace: /home/ada/shop`, for the answers of calls that did.
   * `workspace` is the folder that the request itself names.
   *
   * Contract: undefined for effects that change nothing. Must not throw. Absent: answers do not say.
   */
  readonly wroteTo?: (effects: readonly Effect[], workspace: string | undefined) => string | undefined;
  /** Tools that a client which loads tools on demand should always show its model. Default: none. */
  readonly alwaysLoad?: readonly string[];
  readonly resources?: Resources;
  readonly prompts?: Prompts;
  readonly complete?: Complete;
  /** Awaited before the first answer that lists tools, prompts or resources. Never rejects. Default: nothing is. */
  readonly ready?: () => Promise<void>;
  /** The same object whose `approver` the registry was built with. Absent: nobody is asked through MCP. */
  readonly approvals?: McpApprovals;
  /** Milliseconds that a person may take to answer. Default 600,000. */
  readonly approvalWaitMs?: number;
  /**
   * Hears which folders a client works in, at first and whenever they change. A throw is logged.
   *
   * Contract: calls and reads of that client wait until it resolved, for some seconds at most.
   */
  readonly onRoots?: (roots: readonly ClientRoot[], conversation: string) => void | Promise<void>;
  /**
   * Runs work in the workspace that a request names by `_meta["ikigai/workspace"]`, which stays open meanwhile.
   *
   * Contract: rejects with what the client should read when the folder is not to be served. Default: a request that
   * names one is refused.
   */
  readonly inWorkspace?: <T>(folder: string, work: (parts: WorkspaceParts) => Promise<T>) => Promise<T>;
  /** Receives warnings for the operator. Must not throw. Default: nobody. */
  readonly onLog?: (level: LogLevel, message: string) => void;
  /** What results hold for a client. Default: text, for every client. */
  readonly presentation?: (client: ClientFacts | undefined, revision: string | undefined) => Presentation;
  /** Characters of JSON that any answer may have. Default 1,000,000. */
  readonly maxAnswerSize?: number;
  /**
   * Milliseconds after which the stream of a call over HTTP is closed, for proxies that cut long streams: the client
   * comes back for the rest. Only for clients of a revision that knows this. Default: it stays open.
   */
  readonly pollAfterMs?: number;
  /** Items on one page of a list. Default 100. */
  readonly pageSize?: number;
}
