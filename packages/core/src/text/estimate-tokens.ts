/** Bytes a token has at least in most texts; in current vocabularies it is nearer to four. */
const BYTES_PER_TOKEN = 3;

/** Tokens of a text, estimated without a vocabulary: rather too many than too few, so that a budget holds. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
