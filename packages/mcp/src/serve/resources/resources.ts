import type { Actor } from "@ikigai/core";

/** A text that a client may attach to a conversation. */
export interface ResourceCard {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
}

/** A family of resources whose URIs follow a pattern (RFC 6570). */
export interface ResourceTemplateCard {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Text, or what is none as base64. */
export type ResourcePart = { readonly uri: string; readonly mimeType?: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);

export interface ResourceCallOptions {
  readonly actor: Actor;
  readonly signal: AbortSignal;
}

/** What a server offers besides tools: texts that a client lists, reads and watches. */
export interface Resources {
  /** One page of the resources. Contract: `invalid_input` for a cursor that `list` did not give. */
  list(
    cursor: string | undefined,
    options: ResourceCallOptions,
  ): Promise<{ readonly items: readonly ResourceCard[]; readonly nextCursor?: string }>;
  templates?(): readonly ResourceTemplateCard[] | Promise<readonly ResourceTemplateCard[]>;
  /** Contract: `undefined` for what does not exist; bounds what it returns and says so in a further part. */
  read(uri: string, options: ResourceCallOptions): Promise<readonly ResourcePart[] | undefined>;
  /**
   * Reports the URIs whose text changed, until disposed.
   *
   * Contract: called only while somebody subscribed; absent when nothing can be watched.
   */
  onUpdate?(listener: (uri: string) => void): Disposable;
  /** Reports that the list itself changed, such as after a mount. */
  onListChange?(listener: () => void): Disposable;
}
