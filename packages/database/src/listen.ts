import { setTimeout as delay } from "node:timers/promises";
import { Client, escapeIdentifier } from "pg";
import type { Connections } from "./client/connections.ts";

/** Listening goes on until it is closed. */
export interface Hints {
  /** Contract: no hint comes after it resolves. Idempotent. */
  close(): Promise<void>;
}

const RECONNECT_MS = 200;

/** Listens on a connection of its own, and on a new one whenever that breaks. */
export function listenOn(connections: Connections, channel: string, onHint: () => void): Hints {
  const stopping = new AbortController();
  const { signal } = stopping;
  let interrupt = (): void => {};

  async function listenOnce(): Promise<void> {
    const client = new Client(await connections.separate());
    const ended = new Promise<void>((resolve) => {
      client.on("error", () => resolve());
      client.on("end", () => resolve());
      interrupt = resolve;
    });
    client.on("notification", (notice) => {
      if (notice.channel === channel && !signal.aborted) onHint();
    });
    try {
      await client.connect();
      await client.query(`listen ${escapeIdentifier(channel)}`);
      if (!signal.aborted) {
        onHint();
        await ended;
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function keepListening(): Promise<void> {
    while (!signal.aborted) {
      await listenOnce().catch(() => undefined);
      await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = keepListening();
  return {
    async close() {
      stopping.abort();
      interrupt();
      await running;
    },
  };
}
