import type { Client } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeEach, vi } from "vitest";
import { closeSharedStore, openWorkspace } from "../../testing/open-workspace.ts";
import { connectOverStdio, PROCESSES_MS } from "./official-client.ts";

export interface ServedWorkspace {
  /** The workspace of the present test. */
  readonly workspace: Awaited<ReturnType<typeof openWorkspace>>;
  /** A client of a server of its own. Contract: closed when the test ends. */
  connect: typeof connectOverStdio;
}

/** A workspace for each test of a file, in a store that they share, and clients that are served in it. */
export function useServedWorkspace(): ServedWorkspace {
  let workspace: Awaited<ReturnType<typeof openWorkspace>>;
  const clients: Client[] = [];
  vi.setConfig({ testTimeout: PROCESSES_MS });
  beforeEach(async () => {
    workspace = await openWorkspace();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    await workspace.close();
  });
  afterAll(closeSharedStore);
  return {
    get workspace() {
      return workspace;
    },
    async connect(...how) {
      const client = await connectOverStdio(...how);
      clients.push(client);
      return client;
    },
  };
}
