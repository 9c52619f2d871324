import type { ResourceCallOptions, ResourcePart } from "./resources.ts";

export interface PromptArgumentCard {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Whether it is a text of several words, which a client that splits what is typed gives word by word. */
  readonly words?: boolean;
}

/** A text a person can send with one gesture, such as a slash command or a skill. */
export interface PromptCard {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgumentCard[];
}

/** One message: a text, a text of some address, or a picture or a sound as base64. */
export type PromptMessage = { readonly role: "user" | "assistant" } & (
  | { readonly text: string }
  | { readonly resource: ResourcePart }
  | { readonly image: { readonly data: string; readonly mimeType: string } }
  | { readonly audio: { readonly data: string; readonly mimeType: string } }
);

export interface PromptText {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

export interface Prompts {
  list(options: ResourceCallOptions): Promise<readonly PromptCard[]>;
  /** Contract: `undefined` for an unknown name; `invalid_input` for arguments that do not fit. */
  get(
    name: string,
    values: Readonly<Record<string, string>>,
    options: ResourceCallOptions,
  ): Promise<PromptText | undefined>;
  onChange?(listener: () => void): Disposable;
}

/** What is being typed: an argument of a prompt, or a variable of a resource template. */
export interface CompletionRequest {
  readonly of: { readonly prompt: string } | { readonly template: string };
  readonly name: string;
  readonly value: string;
  /** Arguments that are already filled in. */
  readonly known: Readonly<Record<string, string>>;
}

/** Suggests values, best first. Contract: may return more than fit; the server shows the first 100. */
export type Complete = (request: CompletionRequest, options: ResourceCallOptions) => Promise<readonly string[]>;
