import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type TextFeatures,
  type TextReader,
  type DataBlockDefinition,
  defineDataBlock,
  IkigaiError,
  type SourceCallOptions,
} from "@ikigai/core";
import { OUTPUT_MOUNT, type SourceManager } from "@ikigai/core/host";
import type { KeptPart } from "@ikigai/mcp";
import { makePrivateFolder, type Redactor } from "@ikigai/permission";
import { fileSource } from "@ikigai/source-file";
import { z } from "zod";
import { createOutputFolder, type OutputFolder } from "./output-folder.ts";

/** Characters of the longest text, and bytes of the largest part, that is kept. */
const MAX_SIZE = 64 * 1024 * 1024;

/** Answers that were too long, as files under addresses that `file_read` takes. */
export interface Outputs {
  /** Makes what earlier calls of this agent left in this workspace readable. Contract: creates nothing. */
  open(): Promise<void>;
  /** Contract: kept without secrets; the same text of one agent is kept once. */
  keep(callId: string, text: string, agent: string): Promise<string>;
  /** Keeps a part of an answer that is not text, such as a picture. */
  keepPart(part: Pick<KeptPart, "agent" | "mimeType" | "bytes">): Promise<string>;
  /** The folder where programs that this agent started leave what they print. */
  folderOf(agent: string): string;
}

export interface OutputsOptions {
  readonly sources: () => SourceManager;
  readonly stateDirectory: string;
  /** Tells workspaces apart. */
  readonly workspace: string;
  /** The agent that acts when a call names none. */
  readonly agent: string;
  readonly redactor: Pick<Redactor, "redact">;
}

/** File endings by kind of content. */
const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "application/pdf": "pdf",
};

/**
 * Contract: what is kept belongs to one agent in one workspace, and to nobody else is it readable or listed. It has no
 * secrets that the redactor knows, is bounded in total and goes with age.
 */
export function createOutputs({ sources, stateDirectory, workspace, agent: own, redactor }: OutputsOptions): Outputs {
  const root = join(stateDirectory, "outputs");
  const folderOf = (agent: string): string => join(root, ownerOf(agent, workspace));
  const folders = new Map<string, OutputFolder>();
  const outputFolder = (agent: string): OutputFolder => {
    const known = folders.get(agent) ?? createOutputFolder(root, folderOf(agent));
    folders.set(agent, known);
    return known;
  };
  let mounted: Promise<void> | undefined;
  const mount = (): Promise<void> =>
    (mounted ??= sources().mount({
      mount: OUTPUT_MOUNT,
      source: outputSource((agent) => folderOf(agent ?? own)),
      options: {},
      permission: "read_only",
    }));

  async function keepBytes(agent: string, bytes: Buffer, ending: string): Promise<string> {
    if (bytes.length > MAX_SIZE) throw tooLarge(bytes.length);
    const name = `${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}.${ending}`;
    await makePrivateFolder(root);
    await makePrivateFolder(folderOf(agent));
    await outputFolder(agent).add(name, bytes);
    await mount();
    return `${OUTPUT_MOUNT}:///${name}`;
  }

  return {
    folderOf,
    async open() {
      if (!existsSync(root)) return;
      await outputFolder(own).prune();
      if (existsSync(folderOf(own))) await mount();
    },
    keep: async (_callId, text, agent) => {
      if (text.length > MAX_SIZE) throw tooLarge(text.length);
      return keepBytes(agent, Buffer.from(redactor.redact(text)), "txt");
    },
    keepPart: ({ agent, mimeType, bytes }) => keepBytes(agent, Buffer.from(bytes), ENDINGS[mimeType] ?? "bin"),
  };
}

function ownerOf(agent: string, workspace: string): string {
  return createHash("sha256")
    .update(JSON.stringify([agent, workspace]))
    .digest("hex")
    .slice(0, 32);
}

function tooLarge(size: number): IkigaiError {
  return new IkigaiError("over_budget", `An output of ${size} bytes is not kept; at most ${MAX_SIZE} bytes are`, {
    hint: "Ask for less at once.",
  });
}

type Folder = TextReader & TextFeatures;

/** The kept outputs of whichever agent asks. Contract: no folder of the machine is named, so every read says who asks. */
function outputSource(
  folderOf: (agent: string | undefined) => string,
): DataBlockDefinition<Record<string, never>, never> {
  return defineDataBlock<Record<string, never>>({
    name: "outputs",
    capabilities: [],
    options: z.strictObject({}),
    guidance: (mount) => `${mount}:/// holds answers of yours that were too long to show whole.`,
    async open(_, host) {
      const opened = new Map<string, Promise<Folder>>();
      const folder = async (call: SourceCallOptions | undefined): Promise<Folder | undefined> => {
        const root = folderOf(call?.actor?.agent);
        const known = opened.get(root);
        if (known !== undefined) return known;
        if (!existsSync(root)) return undefined;
        const opening = fileSource.open({ root, maxBytes: MAX_SIZE * 4, tool: false }, host) as Promise<Folder>;
        opened.set(root, opening);
        opening.catch(() => opened.delete(root));
        return opening;
      };
      return {
        read: async (path, call) => (await folder(call))?.read(path, call),
        async *list(prefix, call) {
          const own = await folder(call);
          if (own !== undefined) yield* own.list(prefix, call);
        },
        async close() {
          for (const one of opened.values()) await (await one).close?.();
        },
      };
    },
  });
}
