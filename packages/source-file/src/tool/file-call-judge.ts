import {
  type BlockStatus,
  type Blocks,
  type Effect,
  IkigaiError,
  type PlanContext,
  type TextReader,
  type ToolContext,
} from "@ikigai/core";
import type { FileOperation, FileToolInput } from "./file-tool-input.ts";
import { type FileNames, planFileCall } from "./file-tool-plan.ts";

export interface FileCallJudgeParts {
  readonly name: string;
  readonly names: FileNames;
  readonly blocks: Blocks;
  readonly source: Pick<TextReader, "read">;
  /** Whether anything lies at the path. */
  readonly exists: (path: string) => Promise<boolean>;
}

/** Effects and version that a call was judged by. */
interface Judged {
  readonly effects: readonly Effect[];
  /** Version of the block that is saved, or of the file that is deleted. */
  readonly version?: string | undefined;
}

/** Finds out what a call of the file tool does, and holds the call to it when it runs. */
export interface FileCallJudge {
  /** What the call would do to the disk and to the block as they are now. */
  effects(input: FileToolInput, context: PlanContext): Promise<readonly Effect[]>;
  /**
   * Contract: `conflict` unless the call still does what was judged; a load that does more is judged again. Gives the
   * version that may be deleted.
   */
  assertStillSo(input: FileToolInput, context: ToolContext): Promise<string | undefined>;
}

export function createFileCallJudge({ name, names, blocks, source, exists }: FileCallJudgeParts): FileCallJudge {
  const plans = new WeakMap<FileToolInput, Judged>();
  return {
    async effects(input, context) {
      const plan = await planOf(input, context);
      plans.set(input, plan);
      return plan.effects;
    },
    assertStillSo,
  };

  /** What the call would do to the disk and to the block as they are now. */
  async function planOf(input: FileToolInput, context: PlanContext): Promise<Judged> {
    const { op } = input;
    const { effects, place } = planFileCall(input, names);
    if (op === "load" && place !== undefined) return { effects: [...effects, ...(await loadingOf(place, context))] };
    if (op === "delete") return { effects, version: await versionAt(effects, context) };
    if (op !== "create" && op !== "save") return { effects };
    const onDisk = await Promise.all(
      effects.map(async (effect) => {
        if (!effect.target.startsWith(`${names.mount}:///`)) return effect;
        // A file that cannot be read is refused when the call runs.
        const there = await isThere(op, pathOf(effect.target), context.signal).catch(() => undefined);
        if (there === undefined) return effect;
        return { action: there ? ("update" as const) : ("create" as const), target: effect.target };
      }),
    );
    if (op === "create" || place === undefined) return { effects: onDisk };
    const [block] = await statusOf(place, context);
    return { effects: onDisk, version: block?.version };
  }

  /** What loading does to the block of a file: it makes one, or brings it up to date. */
  async function loadingOf(place: string, context: PlanContext): Promise<readonly Effect[]> {
    const [block] = await statusOf(place, context);
    const target = `block:///${block?.label ?? names.label(pathOf(place))}`;
    if (block === undefined) return [{ action: "create", target }];
    const reads: Effect = { action: "read", target };
    return block.source === "changed" || block.type === "archival" ? [reads, { action: "update", target }] : [reads];
  }

  async function statusOf(place: string, context: PlanContext): Promise<readonly BlockStatus[]> {
    try {
      return await blocks.status({ place }, context);
    } catch (error) {
      // An error here is reported when the call runs.
      if (IkigaiError.is(error)) return [];
      throw error;
    }
  }

  async function versionAt(effects: readonly Effect[], { signal }: PlanContext): Promise<string | undefined> {
    const path = pathOf(effects[0]?.target ?? "");
    return (await source.read(path, { signal }).catch(() => undefined))?.version;
  }

  /**
   * Contract: `conflict` unless the call still does what was judged; a load that does more is judged again. Gives the
   * version that may be deleted.
   */
  async function assertStillSo(input: FileToolInput, context: ToolContext): Promise<string | undefined> {
    const judged = plans.get(input);
    plans.delete(input);
    if (judged === undefined) return undefined;
    const now = input.op === "delete" ? judged : await planOf(input, context);
    const beyond = now.effects.filter(
      ({ action, target }) => !judged.effects.some((one) => one.action === action && one.target === target),
    );
    if (input.op === "load") await context.permit(beyond);
    else if (beyond.length > 0) {
      throw changedSinceJudged(
        `${beyond.map(({ action, target }) => `it would ${action} ${target}`).join(" and ")} now`,
      );
    }
    if (now.version !== judged.version) throw changedSinceJudged("the block was edited since");
    return judged.version;
  }

  function changedSinceJudged(what: string): IkigaiError {
    return new IkigaiError("conflict", `${name}: not what was judged, so nothing was done: ${what}`, {
      hint: "Look at it again, then make the call once more.",
    });
  }

  async function isThere(op: FileOperation, path: string, signal: AbortSignal): Promise<boolean> {
    // Somebody who is saving may have taken the name away for a moment; reading waits for that.
    return (op === "save" && (await exists(path))) || (await source.read(path, { signal })) !== undefined;
  }

  function pathOf(target: string): string {
    return target.slice(`${names.mount}:///`.length);
  }
}
