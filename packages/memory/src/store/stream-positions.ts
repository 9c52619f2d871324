/**
 * How far an agent has heard each stream, so that the next program goes on from there.
 *
 * Contract: `save` resolves once the position is safe.
 */
export interface StreamPositions {
  load(agent: string, stream: string): Promise<string | undefined>;
  /** `merge` says which position counts when several programs save theirs; it gets the stored one and the new one. */
  save(
    agent: string,
    stream: string,
    position: string,
    merge?: (stored: string, position: string) => string,
  ): Promise<void>;
}
