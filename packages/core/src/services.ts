import type { Embedder } from "./embedder.ts";
import type {
  CommandReader,
  IndexStore,
  StoreTables,
  OwnedTexts,
  TurnArchive,
  LogKeeper,
  OutputFolders,
  OwnFiles,
  SaveTraces,
} from "./host/part-services.ts";
import type { MemoryPermission } from "./policy/permission.ts";
import type { Effect } from "./policy/policy.ts";
import type { Actor } from "./source/source.ts";
import type { PlanContext, Preview, ToolContext } from "./tool/tool.ts";

export type BlockType = "core" | "working" | "archival" | "log";
export type BlockSchemaKind = "text" | "list" | "map" | "log" | "composite";

/** What is known of a block without reading its text. */
export interface BlockInfo {
  readonly label: string;
  readonly type: BlockType;
  readonly schema: BlockSchemaKind;
  readonly permission: MemoryPermission;
  readonly pinned: boolean;
  readonly owner: string;
  readonly chars: number;
  readonly lines: number;
  /** Changes with every edit. */
  readonly version: string;
  /** Steps that can be undone and redone. */
  readonly undo: number;
  readonly redo: number;
  /** Where the text was loaded from, and the version of the source that it rests on. */
  readonly origin?: { readonly uri: string; readonly version: string };
  /** Whether the block differs from what was loaded. */
  readonly modified: boolean;
}

/** One change to a block's content. Line numbers are 1-based and inclusive. */
export type BlockEdit =
  | { readonly op: "append"; readonly content: string }
  | {
      readonly op: "replace";
      readonly old: string;
      readonly new: string;
      /** Default `first`, which demands that there is exactly one match. */
      readonly mode?: "first" | "all" | "nth" | "regex";
      readonly nth?: number;
    }
  | { readonly op: "patch"; readonly patch: string }
  | { readonly op: "set_field"; readonly field: string; readonly value: unknown }
  | { readonly op: "edit_range"; readonly start: number; readonly end: number; readonly content: string }
  | { readonly op: "undo" }
  | { readonly op: "redo" };

/** How a block and its source are brought together when both changed. */
export type ReconcileStrategy = "disk_wins" | "agent_wins" | "merge" | "ask";

export interface BlockStatus extends BlockInfo {
  /** How the source stands against what was loaded. */
  readonly source: "unchanged" | "changed" | "removed" | "none";
}

/**
 * Blocks over any source of text: load it, edit it, save it back.
 *
 * `place` is a block's label, or the address or path its text comes from. Contract: `not_found` for a block that is
 * not loaded; every edit is checked against the block's permission; a save never overwrites what it has not seen.
 */
export interface Blocks {
  /** Creates a working block from a source's text. Loading again refreshes it, and refuses to drop unsaved edits. */
  load(place: string, actor: Actor): Promise<BlockInfo>;
  /** Takes the source's text and drops unsaved edits; they stay in the block's undo history. */
  reload(place: string, actor: Actor): Promise<BlockInfo>;
  /** Writes the block's whole text back. Rejects with `conflict` when the source changed meanwhile. */
  save(place: string, actor: Actor): Promise<BlockInfo>;
  /** Creates text in the source, never over existing text, and loads it. */
  create(place: string, content: string, actor: Actor): Promise<BlockInfo>;
  /**
   * Removes the text from the source; the block and its history stay, without an origin.
   *
   * Contract: `conflict` when the text is not at the version `expected`. Absent: at the one that the block was loaded from.
   */
  remove(place: string, actor: Actor, options?: { readonly expected?: string }): Promise<void>;
  edit(place: string, edit: BlockEdit, actor: Actor): Promise<BlockInfo>;
  text(place: string, actor: Actor): Promise<string>;
  /** Unified diff from what the source holds now to the block. Empty when they agree. */
  diff(place: string, actor: Actor): Promise<string>;
  /** Status of one block, or of every loaded block whose text comes from `mount`. */
  status(
    selector: { readonly place: string } | { readonly mount: string },
    actor: Actor,
  ): Promise<readonly BlockStatus[]>;
  /** Brings a loaded block and its changed source together. */
  reconcile(place: string, strategy: ReconcileStrategy, actor: Actor): Promise<BlockInfo>;
}

/**
 * What a command is going to do with its arguments: found out once, judged, and then done.
 *
 * Contract: `run` acts on what `effects` names and looks for nothing anew. Where that is no longer as it was when it was
 * planned, `run` rejects with `conflict` that names what changed, and changes nothing.
 */
export interface CommandPlan {
  /** Effects of the command, judged before it runs. */
  readonly effects: readonly Effect[];
  /** What a person sees when asked. Absent: the line that was typed. */
  readonly preview?: Preview;
  /** Answers in text for people and models, and with the same as data. What came up only now is judged by `permit`. */
  run(call: PlanContext & Pick<ToolContext, "permit">): Promise<{ readonly text: string; readonly data?: unknown }>;
}

/**
 * Something a person types as `/pin blocks/a`, a shell runs as `ikigai pin blocks/a` and a model calls through a tool.
 *
 * Contract: throws `IkigaiError`; `invalid_input` for arguments that do not fit its usage.
 */
export interface Command {
  /** Name of the command, without the slash. */
  readonly name: string;
  /** Its arguments, such as `ADDRESS [ID]`. */
  readonly usage: string;
  readonly description: string;
  readonly examples: readonly string[];
  /** Whether all that follows its name is one text, quotes and spaces included. */
  readonly takesSentence?: boolean;
  /** Whether only a person may use it. */
  readonly personOnly?: boolean;
  /** Whether it shows what it proposes and asks by itself when it runs, where there is somebody to ask. Default false. */
  readonly confirmsItself?: boolean;
  /** Why it cannot be used in this host. Then a model is not offered it. */
  readonly unavailable?: string;
  /** Finds out what these arguments mean now. Changes nothing. */
  plan(args: readonly string[], context: PlanContext): Promise<CommandPlan>;
}

/** The commands there are now. Parts of a host add theirs. */
export interface Commands {
  list(): readonly Command[];
  get(name: string): Command | undefined;
  /** Contract: `conflict` for a taken name; dispose to withdraw. */
  register(commands: readonly Command[]): Disposable;
}

/**
 * What parts of a host offer each other. A source gets them when it opens and registers only the tools whose
 * services are there, so that no package has to import a sibling.
 */
export interface HostServices {
  readonly blocks?: Blocks;
  readonly commands?: Commands;
  /** Absolute path of the folder that commands run in, without links, also where it is not mounted. */
  readonly folder?: string;
  readonly ownFiles?: OwnFiles;
  /** Absent: no source of files tells of its saves. */
  readonly saves?: SaveTraces;
  readonly outputFolders?: OutputFolders;
  readonly logs?: LogKeeper;
  readonly commandReader?: CommandReader;
  /** Absent: there is no database. */
  readonly storeTables?: StoreTables;
  readonly ownedTexts?: OwnedTexts;
  /** Absent: what leaves a context is found nowhere else. */
  readonly turnArchive?: TurnArchive;
  /**
   * Judges the packages that the configured embedder loads, just before they are loaded. Absent: they are loaded as they
   * are.
   *
   * Contract: `permission_denied` when one is not what was trusted.
   */
  readonly judgeEmbedder?: () => Promise<void>;
  /** Absent: no index outlives the process. */
  readonly indexStore?: IndexStore;
  /** Absent: nothing is compared by meaning. */
  readonly embedder?: Embedder;
}
