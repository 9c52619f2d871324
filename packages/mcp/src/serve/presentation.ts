/** Who connected, as it says of itself. */
export interface ClientFacts {
  readonly name: string;
  readonly version: string;
}

/** Where a client's model reads a result: in the structured content, or in the text. */
export type Presentation = "structured" | "text";

/** Clients that show their model the text of a result only. */
const TEXT_READERS: ReadonlySet<string> = new Set([
  "claude-ai",
  "cursor-vscode",
  "visual studio code",
  "visual-studio-code",
  "zed",
]);

/** The first protocol revision with structured content. Revisions are dates, so they compare as text. */
const STRUCTURED_SINCE = "2025-06-18";

/** How results are shown to a client, by what it speaks and who it is. */
export function presentationFor(client: ClientFacts | undefined, revision: string | undefined): Presentation {
  if (revision !== undefined && revision < STRUCTURED_SINCE) return "text";
  return client !== undefined && TEXT_READERS.has(client.name.toLowerCase()) ? "text" : "structured";
}
