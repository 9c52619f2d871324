import type { MemoryPermission } from "../policy/permission.ts";
import type { CheckingSchema } from "../tool/schema.ts";
import type { HostServices } from "../services.ts";
import type { AnyTool } from "../tool/tool.ts";

/** Version of the source contract. A host refuses definitions of a version it does not know. */
export const SOURCE_CONTRACT = 1;

/** The agent, conversation and call on whose behalf a source is used. */
export interface Actor {
  readonly agent: string;
  readonly conversation: string;
  /** The tool call it belongs to. */
  readonly callId: string;
  readonly tool: string;
  /** The program through which the call came, as it names itself. Absent: ours. Proves nothing. */
  readonly client?: string;
  /**
   * Whether several programs that cannot be told apart may talk in the conversation. What one of them wrote, the others
   * have not seen. Default false.
   */
  readonly isSharedConversation?: boolean;
  /**
   * Where the addresses of the call led when it was judged, by address. A source whose paths can lead elsewhere refuses
   * one that does by now. Absent: nothing was followed.
   */
  readonly places?: ReadonlyMap<string, JudgedPlace>;
}

/** Where a path led when a call was judged. */
export interface JudgedPlace {
  /** The path inside the source once links are followed, with the names as path and links spell them. */
  readonly path: string;
  /**
   * Device and number of the file that lay there, when it has several names on its disk. Absent: it has one name,
   * or there was no file.
   */
  readonly file?: string;
}

/** Where a path of a source leads. */
export interface FollowedPath extends JudgedPlace {
  /** `path` with each name spelled as its folder stores it. */
  readonly stored: string;
  /** The absolute path on this machine. */
  readonly local: string;
}

export interface SourceCallOptions {
  /** Contract: a write or a removal whose signal is already aborted rejects and changes nothing. */
  readonly signal?: AbortSignal;
  /** Absent: the host itself. A source that keeps owners apart goes by its agent. */
  readonly actor?: Actor;
}

/** The text at a path, and a token that changes whenever the text does. */
export interface TextContent {
  readonly text: string;
  readonly version: string;
}

export interface TextEntry {
  readonly path: string;
  readonly bytes?: number;
  readonly modifiedAt?: Date;
}

export interface WriteOptions extends SourceCallOptions {
  /**
   * The version the caller last saw. `null` means "must not exist yet"; absent means "overwrite".
   *
   * Contract: on a mismatch reject with code `conflict` and change nothing. The storage itself decides, also between
   * processes; a check before the write is not enough.
   */
  readonly expected?: string | null;
  /** Why, for whoever reads the history. */
  readonly reason?: string;
  /** The entry of the journal that this change takes back. Absent: it takes none back. */
  readonly undoes?: string;
  /**
   * A path of the same source whose attributes, such as the mode and the owner of a file, a text that is created takes.
   * A source whose texts have none ignores it.
   */
  readonly attributesOf?: string;
}

export interface RemoveOptions extends SourceCallOptions {
  /** The version the caller last saw; absent means "whatever it is". */
  readonly expected?: string;
  /** Why, for whoever reads the history. */
  readonly reason?: string;
  /** The entry of the journal that this change takes back. Absent: it takes none back. */
  readonly undoes?: string;
  /**
   * Whether a link at the end of the path stays and the text that it leads to goes, as when a text that was created
   * through a link is taken back. Default false: the link goes. A source without links ignores it.
   */
  readonly keepsLink?: boolean;
}

export interface TextChange {
  readonly path: string;
  readonly change: "created" | "updated" | "removed";
}

/** One state that a path was in. */
export interface TextRevision {
  readonly version: string;
  readonly at: Date;
  readonly text: string;
  readonly author?: string;
  readonly message?: string;
}

/** What every source of text does. Paths are already normalised by core. */
export interface TextReader {
  /** Contract: resolves to `undefined` for absent text; rejects only when it cannot tell. */
  read(path: string, options?: SourceCallOptions): Promise<TextContent | undefined>;
  /** Contract: yields the entries whose path starts with `prefix`, literally, in ascending code-point order. */
  list(prefix: string, options?: SourceCallOptions): AsyncIterable<TextEntry>;
  /** The label of a block loaded from `path`. Absent: its address. */
  label?(path: string): string;
  /** How far a path is open to change. Absent means `admin`: the source closes nothing. */
  permission?(path: string): MemoryPermission;
  /** What decided that permission, for people: the rule, and the file it stands in. Absent: nothing in particular. */
  permissionOrigin?(path: string): string | undefined;
  /**
   * Where `path` leads once links are followed, also when nothing is there yet. Judged like the path that was asked for.
   *
   * Contract: `permission_denied` when it leads out of the source; any other throw means that nobody can say.
   */
  follow?(path: string): FollowedPath;
  /** The folder on this machine that holds the text, when there is one. */
  localRoot?(): string;
  /** Releases what `open` acquired, and nothing that the caller passed in. Idempotent. */
  close?(): Promise<void>;
}

/** What a source of text may do on top. Claim the key in `capabilities` to offer the method. */
export interface TextFeatures {
  write(path: string, text: string, options?: WriteOptions): Promise<TextContent>;
  /** Contract: removing what is absent rejects with `not_found`. */
  remove(path: string, options?: RemoveOptions): Promise<void>;
  /** Contract: reports changes made after it was called; ends when `signal` aborts, without throwing. */
  watch(options: { readonly signal: AbortSignal }): AsyncIterable<TextChange>;
  /** Contract: newest first, the present state included; empty for a path that never existed. */
  history(path: string, options?: SourceCallOptions): AsyncIterable<TextRevision>;
}

export type TextCapability = keyof TextFeatures;

/** A source of addressable text, with the capabilities `C`. */
export type DataBlock<C extends TextCapability = never> = TextReader & Pick<TextFeatures, C>;

/** Something that happened outside, in words an agent can read. */
export interface StreamEvent {
  /** Opaque position; given back as `after` to continue behind it. */
  readonly cursor: string;
  readonly at: Date;
  readonly text: string;
  readonly data?: unknown;
}

/** A source of events. */
export interface DataStream {
  /** Contract: ends when `signal` aborts, without throwing; with `replay` claimed, starts just behind `after`. */
  events(options: { readonly signal: AbortSignal; readonly after?: string }): AsyncIterable<StreamEvent>;
  /** Releases what `open` acquired. Idempotent. */
  close?(): Promise<void>;
}

export type StreamCapability = "replay";

/** What the host gives a source when it opens it. */
export interface SourceHost {
  /** The name this instance is mounted under, unique within the host. */
  readonly mount: string;
  /** Aborts when the source is unmounted. */
  readonly signal: AbortSignal;
  /** What other parts offer. A tool whose service is absent is not registered. */
  readonly services: HostServices;
  /**
   * Whether a file or folder of this machine is the host's own, such as its store and its keys. A source that serves files
   * leaves it out of lists, and gives or changes it only for a call that was judged for exactly this place.
   * Contract: takes an absolute path without links. Absent: nothing is.
   */
  isOwn?(absolute: string): boolean;
  /** Tells the operator, never the model. */
  warn(message: string): void;
}

interface DefinitionBase<Options> {
  readonly name: string;
  readonly contract: typeof SOURCE_CONTRACT;
  /** Checks the user's configuration before `open` sees it. */
  readonly options: CheckingSchema<Options>;
  /** What the system prompt says of a mounted source of this kind. */
  readonly guidance?: string | ((mount: string) => string);
}

export interface DataBlockDefinition<Options, C extends TextCapability> extends DefinitionBase<Options> {
  readonly kind: "block";
  readonly capabilities: readonly C[];
  /** Where the text is kept. `process`: in the memory of one process, so that no other sees it. Default `shared`. */
  readonly storage?: "shared" | "process";
  /**
   * The paths that it takes, when it does not take every path: an issue's number, a key of a table.
   *
   * Contract: gives a path for every index from 0, each a different one. Writing to a path of another shape is refused
   * with `invalid_input` or `unsupported`; reading it is absent.
   */
  paths?(index: number): string;
  /** Contract: throws `IkigaiError` for what the user can mend. */
  open(options: Options, host: SourceHost): Promise<DataBlock<NoInfer<C>>>;
  /** Tools that exist while the source is mounted. */
  tools?(source: DataBlock<NoInfer<C>>, host: SourceHost): readonly AnyTool[];
}

export interface DataStreamDefinition<Options> extends DefinitionBase<Options> {
  readonly kind: "stream";
  readonly capabilities: readonly StreamCapability[];
  open(options: Options, host: SourceHost): Promise<DataStream>;
  tools?(source: DataStream, host: SourceHost): readonly AnyTool[];
}

// oxlint-disable-next-line typescript/no-explicit-any -- a host mounts definitions whose options differ
export type AnySourceDefinition = DataBlockDefinition<any, any> | DataStreamDefinition<any>;

/** The manifest of a source of text. The compiler demands what `capabilities` claims. */
export function defineDataBlock<Options, const C extends TextCapability = never>(
  definition: Omit<DataBlockDefinition<Options, C>, "kind" | "contract">,
): DataBlockDefinition<Options, C> {
  return { ...definition, kind: "block", contract: SOURCE_CONTRACT };
}

/** The manifest of a source of events. */
export function defineDataStream<Options>(
  definition: Omit<DataStreamDefinition<Options>, "kind" | "contract">,
): DataStreamDefinition<Options> {
  return { ...definition, kind: "stream", contract: SOURCE_CONTRACT };
}
