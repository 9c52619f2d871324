import type { Envelope, HostServices } from "@ikigai/core";
import type { Approver, Commands, Policy, ToolCall, ToolRegistry } from "@ikigai/core/host";
import type { AskReconcile, BlockService, storeCommands } from "@ikigai/memory";
import type { Grants } from "@ikigai/permission";
import type { Config } from "./configuration/config.ts";
import type { HostPlace } from "./place/place.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";
import type { ToolTrustStore } from "./mcp/tool-trust.ts";
import type { WatchedSources } from "./mcp/watch-mounts.ts";
import type { GivenPart } from "./parts/given-parts.ts";
import type { PartStatus } from "./parts/open-parts.ts";
import type { MountFailure } from "./plugins/mount-configured.ts";
import type { HostStore } from "./store/host-store.ts";
import type { CodeRuns } from "./trust/code-runs.ts";
import type { ProjectTrust } from "./trust/project-trust.ts";

/** Who calls, when it is not the host's own agent in its own conversation. */
export interface Caller {
  readonly agent?: string;
  /** The conversation in which what was read counts as seen. Default: one that the host has for itself. */
  readonly conversation?: string;
  readonly signal?: AbortSignal;
}

/** A host: tools, commands, sources, policy and services of one process, wired together. */
export interface Host extends AsyncDisposable {
  /** Calls a tool as the model does. Contract: never rejects; what needs approval asks `approve`. */
  call(call: ToolCall, caller?: Caller): Promise<Envelope>;
  /**
   * Runs a command that a person typed, such as `/undo blocks/a`.
   *
   * Contract: never rejects; what was typed counts as approved, and what a layer denies stays denied.
   */
  command(line: string, caller?: Caller): Promise<Envelope>;
  readonly config: Config;
  /** The tools as the agent of this process may use them. */
  readonly registry: ToolRegistry;
  /** Every tool there is now, also those that are withheld from the agent. */
  toolNames(): readonly string[];
  /** Runs commands that a person typed: what was typed is approved, what a layer denies stays denied. */
  readonly typed: ToolRegistry;
  readonly sources: WatchedSources;
  readonly blocks: BlockService;
  readonly commands: Commands;
  readonly store: HostStore;
  /** What its parts offer. A package whose part offers a service declares the type of it. */
  readonly services: HostServices;
  readonly grants: Grants;
  readonly policy: Policy;
  /** Says whether a change of an address would touch the fixed protected set, wherever links lead. */
  readonly protection: Policy;
  readonly failures: readonly MountFailure[];
  /** How every part is, those that come with the host first, and what it brings now. */
  parts(): readonly PartStatus[];
  /** What the parts say to a model that is shown these tools. */
  guidance(tools: readonly string[]): readonly string[];
  /** The MCP servers of the configuration. Contract: nothing is started before `start`. */
  readonly servers: McpServers;
  readonly toolTrust: ToolTrustStore;
  /** Judges what the configuration names to be loaded, just before it is. */
  readonly runs: Pick<CodeRuns, "check">;
  close(): Promise<void>;
}

/** What a host may use to ask a person. */
export interface ApprovalMeans {
  readonly grants: Grants;
  /** Asks the partner through the store. */
  readonly partner: Approver;
  /** Whether a rule for commands would allow a command. */
  readonly coversCommand: (rule: string, command: string) => boolean;
  /** Milliseconds a person may take. Absent: the default. */
  readonly waitMs?: number;
}

export interface HostOptions extends HostPlace {
  /** Tokens that an agent's pins may have in all. Default: that of the configuration, else 100,000. */
  readonly budget?: number;
  /** Asks a person. Absent: nobody can be asked, which means no. */
  readonly approve?: Approver;
  /** Makes whom to ask from what the host has, such as its grants. Counts only without `approve`. */
  readonly createApprover?: (means: ApprovalMeans) => Approver;
  /** Asks what becomes of a block whose text changed in its source too. Absent: nothing is asked. */
  readonly reconcile?: AskReconcile;
  /** Receives failures of work that nobody waits for. Absent: they are dropped. */
  readonly warn?: (message: string) => void;
  /** Receives messages that a person may want to read. */
  readonly note?: (message: string) => void;
  /** Receives a message when something takes a while, such as making the store. */
  readonly notifyOfWait?: (message: string) => void;
  /** Called before code that is not ours is loaded into this process, such as a plugin. */
  readonly beforeImport?: () => void;
  /** Shows how far something is on a line that the next call replaces. */
  readonly showProgress?: (line?: string) => void;
  /** What commands may ask of a model, and of the person. Absent: there is no model. */
  readonly assist?: Pick<Parameters<typeof storeCommands>[0], "compact" | "confirm" | "pinsMean">;
  /** Whether paths outside the workspace can be reached at all. Default true. */
  readonly mountHost?: boolean;
  /** Why the workspace is left out. Absent: it is mounted. */
  readonly whyNoWorkspace?: string;
  /** Whether whoever calls tools can be asked what a mounted MCP server wants to know. Default false. */
  readonly passesForms?: boolean;
  /** Asked whether to trust the folder when it is not trusted as it is. Absent: it is said, and its configuration has no effect. */
  readonly trustFolder?: (project: ProjectTrust) => Promise<boolean>;
  /** Further parts, each alone or with its options, opened before those that the configuration names. */
  readonly parts?: readonly GivenPart[];
  /** Milliseconds that each of `parts` may take to open before it is left out. Default 30,000. */
  readonly openWithinMs?: number;
  /** Whether it lives long enough to do work that nobody waits for, such as embedding and what parts follow. Default false. */
  readonly background?: boolean;
}
