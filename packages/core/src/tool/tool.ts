import type { ErrorCode } from "../errors.ts";
import type { Effect } from "../policy/policy.ts";
import type { InferOutput, JsonSchema, Schema } from "./schema.ts";
import type { Actor } from "../source/source.ts";

/**
 * Facts about one call: on whose behalf it runs, and when to stop.
 *
 * Services are given to a tool when it is built, never through here. What was read is remembered per conversation.
 */
export interface ToolContext extends Actor {
  /** Aborts when the caller cancels or the time is up. */
  readonly signal: AbortSignal;
  /**
   * Asks for effects that were not known before the call began.
   *
   * Contract: rejects with `permission_denied`; resolves only when every effect is allowed.
   */
  permit(effects: readonly Effect[]): Promise<void>;
  /** Tells whoever watches how far a long call is. Never throws. */
  progress(message: string): void;
  /** Gives something besides the data. Never throws. Absent: the caller takes nothing else, so say it in the data. */
  attach?(attachment: Attachment): void;
  /** Puts a question to whoever is at the other end; the call's time stands still. Absent: nobody can be asked. */
  askForm?(request: FormRequest): Promise<FormAnswer>;
}

/** Something that a tool gives besides its data, for a caller that can show it. */
export type Attachment =
  | { readonly type: "image" | "audio"; readonly mimeType: string; /** Base64. */ readonly data: string }
  | { readonly type: "link"; readonly uri: string; readonly name: string; readonly mimeType?: string }
  | { readonly type: "resource"; readonly uri: string; readonly mimeType?: string; readonly text: string }
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly mimeType?: string;
      /** Base64. */ readonly blob: string;
    };

/** A question to whoever is at the other end of a call, with the fields of its answer as a flat JSON Schema. */
export interface FormRequest {
  /** Names the question among those of the call, for a client that answers by name. Default: a new name. */
  readonly key?: string;
  readonly message: string;
  readonly schema: JsonSchema;
}

/** `cancel`: the question was closed without an answer. */
export interface FormAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
}

/** The facts that `effects` and `preview` get: of a call that has not begun. */
export type PlanContext = Actor & Pick<ToolContext, "signal">;

/** What a person is shown before approving. */
export interface Preview {
  readonly description: string;
  /** The text before and after, when the call changes text. */
  readonly before?: string;
  readonly after?: string;
  /** How many things are affected, when it is not one. */
  readonly count?: number;
  /** What could go wrong, such as links that would break. */
  readonly warning?: string;
  /** Whether the call is a command that asks by itself once there is something to look at. Default false. */
  readonly confirmsItself?: boolean;
}

/** How a tool's result should be treated by clients that ask their own user. */
export interface ToolAnnotations {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

export interface Tool<S extends Schema = Schema, Output = unknown> {
  /** Snake case, at most 64 characters: the strictest rule among model providers. */
  readonly name: string;
  readonly title?: string;
  /** Addressed to the model: what it does, when to prefer it, what comes back. */
  readonly description: string;
  /** One plain object at the root. A tool with several operations has a field `op`. */
  readonly input: S;
  readonly output?: Schema;
  /**
   * Arguments in an older spelling as `input` takes them, such as a field that has another name now.
   *
   * Contract: gets what the call brought, unchecked, and changes nothing of it; what it does not know it passes on.
   */
  modernise?(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** One sentence per operation, keyed by the value of `op`. What an agent may not use is left out of its catalog. */
  readonly operations?: Readonly<Record<string, string>>;
  readonly annotations?: ToolAnnotations;
  /** Milliseconds until the call is aborted. Default: the registry's. */
  readonly timeoutMs?: number;
  /** What this call will touch. Required, so that no author forgets; a pure tool returns `[]`. Changes nothing. */
  effects(input: InferOutput<S>, context: PlanContext): readonly Effect[] | Promise<readonly Effect[]>;
  /** What a person sees when asked. Changes nothing. */
  preview?(input: InferOutput<S>, context: PlanContext): Promise<Preview>;
  /** Contract: throw `IkigaiError` for what the model can act on; any other throw is a bug. */
  run(input: InferOutput<S>, context: ToolContext): Promise<Output>;
  /** The `data` of the envelope, when it is not the output itself. Plain JSON; the registry bounds its length. */
  render?(output: Output): unknown;
  /**
   * The `data` of a success as text that a model reads, for hosts that send text and no JSON.
   *
   * Contract: `data` may have been cut to the registry's limit, so any part of it may be shorter or absent. Returning
   * `undefined`, or a throw, leaves the text to the host. Below a text of an answer that was cut the host says so, unless
   * the text does, which is then given as `{ tellsCut: text }`.
   */
  toText?(data: unknown, facts: AnswerFacts): string | { readonly tellsCut: string } | undefined;
}

/** What a text of an answer may depend on besides its data. */
export interface AnswerFacts {
  /** The arguments of the call. Unchecked. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly truncated?: Truncation;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the one place: a registry holds tools whose inputs differ
export type AnyTool = Tool<any, any>;

/** Gives a tool its types: the input of `effects` and `run` follows from the schema. */
export function defineTool<S extends Schema, Output>(tool: Tool<S, Output>): Tool<S, Output> {
  return tool;
}

/** What was left out of an answer, and where the whole of it is. */
export interface Truncation {
  /** Address of the full text, when it could be kept. */
  readonly kept?: string;
  readonly total_chars: number;
  readonly shown_chars: number;
  /** The first line of the kept text that is not shown as a whole, counted from 1. Absent: it was no text that was cut. */
  readonly next_line?: number;
}

/** What every call answers, whatever happened. A tool that ran is a success. */
export type Envelope =
  | { readonly success: true; readonly data: unknown; readonly truncated?: Truncation }
  | {
      readonly success: false;
      readonly error: string;
      readonly code: ErrorCode;
      readonly details?: Readonly<Record<string, unknown>>;
    };
