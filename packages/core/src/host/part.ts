import type { PolicyLayer } from "../policy/policy.ts";
import type { CheckingSchema } from "../tool/schema.ts";
import type { SeenVersions } from "../seen-versions.ts";
import type { Command, HostServices } from "../services.ts";
import type { MountRequest, SourceManager, SourceStatus } from "../source/source-manager.ts";
import type { AnyTool } from "../tool/tool.ts";

/** Version of the contract of parts. A host refuses parts of a version it does not know. */
export const PART_CONTRACT = 1;

/** What a host gives a part when it opens it. */
export interface PartHost {
  /** The agent that acts when a call names none. */
  readonly agent: string;
  /** Absolute path of the workspace. Absent: there is none. */
  readonly root?: string;
  /** Directory for files of the host's own. A part keeps its files there in a folder of its name. */
  readonly stateDirectory: string;
  readonly sources: SourceManager;
  /** What each conversation has seen of texts, whichever tool showed it. */
  readonly seen: SeenVersions;
  /** What the parts offer that were opened before, and all of them once every part is open. */
  readonly services: HostServices;
  /** Aborts when the part is closed. */
  readonly signal: AbortSignal;
  /** Adds tools that come and go while the part is open. Contract: all or none; withdrawn at close at the latest. */
  register(tools: readonly AnyTool[]): Disposable;
  /** Hears the address of each text that a tool or a command changed. */
  onTextChange(listener: (address: string) => void): Disposable;
  /** Lets a tool that takes addresses take short ones, as all tools of the host do. */
  shorten(tool: AnyTool): AnyTool;
  /** Shows a person how far something is, on a line that the next call replaces. Absent: nobody looks. */
  showProgress?(line?: string): void;
  /** Tells the operator what went wrong, never the model. */
  warn(message: string): void;
}

/** What the system prompt and the instructions over MCP are made from. */
export interface GuidanceFacts {
  /** Names of the tools that the model is shown. */
  readonly tools: readonly string[];
  readonly mounts: readonly SourceStatus[];
}

/** A mount of a part. */
export interface PartMount extends MountRequest {
  /** Whether approval mode `edits` covers changes there, as it does in the workspace. Default false. */
  readonly isEditable?: boolean;
}

/** Everything that one part brings. */
export interface OpenedPart {
  /** Services that it offers to the parts that are opened after it, and to sources. */
  readonly services?: HostServices;
  readonly tools?: readonly AnyTool[];
  readonly commands?: readonly Command[];
  readonly mounts?: readonly PartMount[];
  /** Layers that it adds to the policy. They can make a verdict stricter, never weaker. */
  readonly layers?: readonly PolicyLayer[];
  /** Its lines of the system prompt and of the instructions over MCP. */
  readonly guidance?: (facts: GuidanceFacts) => string | undefined;
  /** Work in the background while a host lives that stays open. Contract: ends when `signal` aborts; never rejects for that. */
  follow?(signal: AbortSignal): Promise<void>;
  /** Releases what `open` acquired. Contract: called once, after its tools, commands and mounts are withdrawn. */
  close?(): Promise<void>;
}

/**
 * One subsystem with everything it brings: tools, commands, mounts, layers of the policy, services, words for the prompt,
 * work in the background.
 *
 * Contract: nothing happens when it is imported. `open` throws `IkigaiError` for what the user can mend; a host names it
 * then, leaves it out and goes on without.
 */
export interface Part<Options> {
  readonly kind: "part";
  readonly contract: typeof PART_CONTRACT;
  /** Its name in messages, which is also the name of its section in the configuration. */
  readonly name: string;
  /** Checks the user's configuration before `open` sees it. Contract: takes an empty object. */
  readonly options: CheckingSchema<Options>;
  /** Services that it cannot do without. Where one is missing the part is left out, and the host says so. */
  readonly needs?: readonly (keyof HostServices & string)[];
  open(options: Options, host: PartHost): Promise<OpenedPart>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a host opens parts whose options differ
export type AnyPart = Part<any>;

/** The manifest of a part. */
export function definePart<Options>(part: Omit<Part<Options>, "kind" | "contract">): Part<Options> {
  return { ...part, kind: "part", contract: PART_CONTRACT };
}
