/** Who connected, as it says of itself. */
export interface ClientFacts {
  readonly name: string;
  readonly version: string;
}

/**
 * What a result holds: its text alone, or structured content beside the text.
 *
 * Several clients hand their model the structured content and drop the text, so `structured` is for programs.
 */
export type Presentation = "text" | "structured";
