import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type MockProvider, type NormalisedRequest, type Script, startMockProvider } from "@ikigai/agent/testing";
import { stopKeeper } from "@ikigai/database";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { runMain } from "../../testing/open-workspace.ts";
import { openPty, type Pty, type PtyOptions } from "./open-pty.ts";

export interface Chat extends AsyncDisposable {
  readonly pty: Pty;
  readonly provider: MockProvider;
}

export interface Chats {
  /** The workspace of the present test. */
  readonly root: string;
  /** Where the present test keeps its configuration. */
  readonly config: string;
  readonly store: string;
  /** The built program in a pseudo-terminal, with a scripted model behind it. */
  open(script: Script, args?: readonly string[], options?: PtyOptions): Promise<Chat>;
}

const PATIENCE_MS = 90_000;

/** Screens show paths, and a long one breaks their lines elsewhere. */
const SHORT_PLACE = "/tmp";

/** What the status line shows once everything is there. */
export const READY: RegExp = /\d+ sources?/;

/**
 * Workspaces for the tests of a file.
 *
 * Contract: one store for all, since starting an engine for each would take most of the time; each test is an agent of
 * its own.
 */
export function useChats(): Chats {
  let base = "";
  let store = "";
  let agents = 0;
  vi.setConfig({ testTimeout: PATIENCE_MS });
  beforeAll(async () => {
    store = await mkdtemp(join(SHORT_PLACE, "ikigai-chat-store-"));
    // The engine is started here, so that no test waits for it.
    await runMain(["--store", store, "pinned"]);
  }, PATIENCE_MS);
  afterAll(async () => {
    await stopKeeper(join(store, "postgres"));
    await rm(store, { recursive: true, force: true });
  });
  beforeEach(async () => {
    agents++;
    base = await mkdtemp(join(SHORT_PLACE, "ikigai-chat-"));
    await mkdir(join(base, "root"));
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  return {
    get root() {
      return join(base, "root");
    },
    get config() {
      return join(base, "config");
    },
    get store() {
      return store;
    },
    async open(script, args = [], options = {}) {
      const provider = await startMockProvider(script);
      const model = ["--model", "local/scripted", "--base-url", provider.openAiUrl];
      const place = ["--root", join(base, "root"), "--store", store, "--agent", `tester-${agents}`];
      const pty = openPty([...place, ...model, ...args], {
        ...options,
        env: { XDG_CONFIG_HOME: join(base, "config"), ...options.env },
      });
      return {
        pty,
        provider,
        async [Symbol.asyncDispose]() {
          await pty[Symbol.asyncDispose]();
          await provider[Symbol.asyncDispose]();
        },
      };
    },
  };
}

export const results = ({ turns }: NormalisedRequest): string[] =>
  turns.flatMap((turn) => (turn.role === "result" ? [turn.text] : []));

export function lastUser({ turns }: NormalisedRequest): string {
  const last = turns.findLast((turn) => turn.role === "user");
  return last?.role === "user" ? last.text : "";
}

/** A model that says what it was sent last, on one line. */
export const heard: Script = (request) => ({ text: `heard <${lastUser(request).replaceAll("\n", "|")}>` });
