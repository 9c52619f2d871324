import type { SecretSpan } from "./secret-span.ts";

/** Redacts a text that comes in pieces. */
export interface RedactionStream {
  /** Takes a piece; gives what is certain by now, which may be nothing. */
  push(piece: string): string;
  /** The rest. */
  end(): string;
}

/** Characters held back until it is known what follows: more than nearly every secret has with the words around it. */
const HELD = 16_384;
/** Looked at in one go, so that a long text in small pieces is not looked at again with each of them. */
const STEP = 65_536;
/** Characters kept of the beginning of a very long secret, so that its rest is still recognised. */
const HEAD = 8_192;

/**
 * Contract: the pieces may be cut anywhere, also inside a secret; what is given back, put together, holds no secret that the
 * whole text would not have kept, as long as a secret with its surroundings is shorter than 16 KiB. A private key may be longer.
 */
export function redactionStream(
  find: (text: string) => readonly SecretSpan[],
  redact: (text: string) => string,
): RedactionStream {
  let held = "";
  return {
    push(piece) {
      held += piece;
      if (held.length < STEP + HELD) return "";
      const wanted = placeToCut(held);
      const open = find(held).find(({ start, end }) => start < wanted && end >= wanted);
      if (open?.start === 0) {
        held = held.slice(0, HEAD) + held.slice(wanted);
        return "";
      }
      const at = open?.start ?? wanted;
      const certain = held.slice(0, at);
      held = held.slice(at);
      return redact(certain);
    },
    end() {
      const rest = redact(held);
      held = "";
      return rest;
    },
  };
}

/** Where a stream's text is cut: before the part that is held back, at the end of a line when there is one. */
function placeToCut(text: string): number {
  const limit = text.length - HELD;
  const line = text.lastIndexOf("\n", limit) + 1;
  return line > limit - STEP / 2 ? line : limit;
}
