import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** The newest events of all streams, so that a client whose stream broke goes on behind the last one it has. */
export interface EventLog {
  /** The events of one session. Dispose to forget them. */
  open(): EventStore & Disposable;
}

export interface EventLogOptions {
  /** Characters of JSON that all events have together; the oldest make room. Default 32,000,000. */
  readonly maxChars?: number;
}

interface KeptEvent {
  readonly store: symbol;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly chars: number;
}

const MAX_CHARS = 32_000_000;
/** Counted for each event besides its text. */
const OVERHEAD = 100;

/**
 * Keeps events in memory.
 *
 * Contract: events leave in the order in which they came, so that whatever followed a known event is known too. An id
 * that is no longer known, or belongs to another session, names no stream.
 */
export function createEventLog({ maxChars = MAX_CHARS }: EventLogOptions = {}): EventLog {
  const events = new Map<string, KeptEvent>();
  let chars = 0;
  let last = 0;

  function forget(id: string, event: KeptEvent): void {
    events.delete(id);
    chars -= event.chars;
  }

  function keep(event: KeptEvent): string {
    last++;
    const id = last.toString(36);
    events.set(id, event);
    chars += event.chars;
    for (const [oldest, old] of events) {
      if (chars <= maxChars) break;
      forget(oldest, old);
    }
    return id;
  }

  return {
    open() {
      const store = Symbol("session");
      const known = (id: string): KeptEvent | undefined => {
        const event = events.get(id);
        return event?.store === store ? event : undefined;
      };
      return {
        storeEvent: async (stream, message) =>
          keep({ store, stream, message, chars: JSON.stringify(message).length + OVERHEAD }),
        getStreamIdForEventId: async (id) => known(id)?.stream,
        async replayEventsAfter(id, { send }) {
          const from = known(id);
          if (from === undefined) throw new Error(`Event ${JSON.stringify(id.slice(0, 40))} is no longer known`);
          const rest = [...events].slice([...events.keys()].indexOf(id) + 1);
          for (const [next, { stream, message, store: owner }] of rest) {
            // A stream begins with an event that carries nothing.
            if (owner === store && stream === from.stream && "jsonrpc" in message) await send(next, message);
          }
          return from.stream;
        },
        [Symbol.dispose]() {
          for (const [id, event] of events) if (event.store === store) forget(id, event);
        },
      };
    },
  };
}
