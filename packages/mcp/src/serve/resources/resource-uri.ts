import { type Address, formatAddress, IkigaiError, parseAddress } from "@ikigai/core";

/** A place in a source, and how far into its text. */
export interface ResourcePlace {
  readonly address: Address;
  /** Characters before the part that is meant. */
  readonly offset: number;
}

/** The URI of an address, with what a URI may not contain percent-encoded. */
export function toResourceUri(address: Address, offset = 0): string {
  const uri = encodeURI(formatAddress(address)).replaceAll("?", "%3F").replaceAll("#", "%23");
  return offset === 0 ? uri : `${uri}?offset=${offset}`;
}

/** Contract: the inverse of {@link toResourceUri}; other text is `invalid_input`. */
export function parseResourceUri(uri: string): ResourcePlace {
  const [place = "", query] = uri.split("?", 2);
  const offset = query === undefined ? 0 : Number(/^offset=(\d{1,15})$/.exec(query)?.[1] ?? Number.NaN);
  if (Number.isNaN(offset)) throw invalid(uri, "the only thing that may be asked is offset=NUMBER");
  if (!place.includes(":///")) throw invalid(uri, "it names no mount");
  let text: string;
  try {
    text = decodeURIComponent(place);
  } catch (cause) {
    throw invalid(uri, "a percent sign is followed by no code", cause);
  }
  try {
    return { address: parseAddress(text, ""), offset };
  } catch (error) {
    // A URI that leaves its root names nothing, so it is a wrong parameter and no refusal.
    throw IkigaiError.is(error, "permission_denied") ? invalid(uri, "it leaves its root", error) : error;
  }
}

function invalid(uri: string, reason: string, cause?: unknown): IkigaiError {
  return new IkigaiError("invalid_input", `${JSON.stringify(uri.slice(0, 200))} is no resource: ${reason}`, {
    hint: "Use a URI as the list of resources gives it.",
    cause,
  });
}
