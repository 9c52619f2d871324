import { createHash } from "node:crypto";
import {
  type Action,
  type Actor,
  defineDataBlock,
  type Envelope,
  IkigaiError,
  type MemoryPermission,
} from "@ikigai/core";
import {
  type AnySourceDefinition,
  createPolicy,
  createSourceManager,
  createToolRegistry,
  type SourceManager,
  type ToolRegistry,
  type ToolRegistryOptions,
} from "@ikigai/core/host";
import { z } from "zod";

export interface Touch {
  readonly action: Action;
  readonly target: string;
}

/** A source in memory whose every touch can be seen, and whose writes can be interfered with. */
export interface TextSource {
  readonly definition: AnySourceDefinition;
  readonly texts: Map<string, string>;
  readonly touches: Touch[];
  readonly actors: (Actor | undefined)[];
  /** Runs before each write decides, as another process might. */
  interfere: ((path: string) => void) | undefined;
  permission: MemoryPermission;
}

const versionOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);

export function createTextSource(mount: string, initial: Record<string, string> = {}): TextSource {
  const texts = new Map(Object.entries(initial));
  const touches: Touch[] = [];
  const actors: (Actor | undefined)[] = [];
  const touch = (action: Action, path: string): void => void touches.push({ action, target: `${mount}:///${path}` });
  const self: TextSource = {
    texts,
    touches,
    actors,
    interfere: undefined,
    permission: "admin",
    definition: defineDataBlock({
      name: "text",
      options: z.strictObject({}),
      capabilities: ["write", "remove"],
      open: async () => ({
        permission: () => self.permission,
        async read(path, options) {
          touch("read", path);
          actors.push(options?.actor);
          const text = texts.get(path);
          return text === undefined ? undefined : { text, version: versionOf(text) };
        },
        async *list(prefix) {
          for (const path of [...texts.keys()].toSorted()) if (path.startsWith(prefix)) yield { path };
        },
        async write(path, text, { expected, actor } = {}) {
          await Promise.resolve();
          actors.push(actor);
          self.interfere?.(path);
          const now = texts.get(path);
          const mismatch = expected === null ? now !== undefined : now === undefined || versionOf(now) !== expected;
          if (expected !== undefined && mismatch) throw new IkigaiError("conflict", `${path} changed`);
          touch(now === undefined ? "create" : "update", path);
          texts.set(path, text);
          return { text, version: versionOf(text) };
        },
        async remove(path, { expected } = {}) {
          const now = texts.get(path);
          if (now === undefined) throw new IkigaiError("not_found", `There is no ${path}`);
          if (expected !== undefined && versionOf(now) !== expected)
            throw new IkigaiError("conflict", `${path} changed`);
          touch("delete", path);
          texts.delete(path);
        },
      }),
    }),
  };
  return self;
}

export interface Bench {
  readonly sources: SourceManager;
  readonly registry: ToolRegistry;
  readonly file: TextSource;
  /** What tools threw that was no `IkigaiError`. */
  readonly defects: readonly unknown[];
  readonly call: (name: string, args: unknown, conversation?: string, agent?: string) => Promise<Envelope>;
}

/** A registry over one text source mounted as `file`, where everything is allowed that a source allows. */
export async function createBench(
  initial: Record<string, string> = {},
  options: ToolRegistryOptions = {},
): Promise<Bench> {
  const sources = createSourceManager();
  const policy = createPolicy({ mode: () => "all", layers: [sources.policyLayer] });
  const defects: unknown[] = [];
  const registry = createToolRegistry({
    policy,
    onDefect: (error) => void defects.push(error),
    ...options,
  });
  const file = createTextSource("file", initial);
  await sources.mount({ mount: "file", source: file.definition });
  return {
    sources,
    registry,
    file,
    defects,
    call: (name, args, conversation = "one", agent = "default") =>
      registry.call({ name, arguments: args }, { conversation, agent }),
  };
}

/** The data of an answer that must be a success. */
export function dataOf(envelope: Envelope): Record<string, unknown> {
  if (envelope.success) return envelope.data as Record<string, unknown>;
  throw new Error(`${envelope.code}: ${envelope.error}`);
}
