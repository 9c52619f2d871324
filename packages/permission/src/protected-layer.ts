import type { Effect } from "@ikigai/core";
import { HOST_MOUNT, type Opinion, type PolicyLayer } from "@ikigai/core/host";
import { protectedName } from "./protected-names.ts";

/**
 * What a place of our own is: `secret` holds keys, grants, trust or the store, `configuration` is what the user's settings
 * are made of, `output` is an answer that was too long.
 */
export type OwnKind = "secret" | "configuration" | "output";

export interface ProtectedOptions {
  /** What of our own lies at an absolute path without links. Default: nothing. */
  readonly ownKind?: (local: string) => OwnKind | undefined;
  /** Why a file at an absolute path without links is obeyed by something that was trusted. Default: none is. */
  readonly whyObeyed?: (local: string) => string | undefined;
  /** The mount under which outputs are served. Default `output`. */
  readonly outputMount?: string;
}

/**
 * The fixed set: configuration, hooks, plugin folders and start-up files always need a person, even when absent. What is
 * our own is closed, for reading too where it holds secrets.
 *
 * Contract: no rule, mode or grant opens them; reading what other programs obey is free. Judges an effect by its target
 * and by `local`; whoever follows links asks about the place where they end.
 */
export function createProtectedLayer(options: ProtectedOptions = {}): PolicyLayer {
  const { ownKind = () => undefined, whyObeyed = () => undefined, outputMount = "output" } = options;
  return {
    name: "protected",
    judge(effect) {
      const { action, target } = effect;
      if (!target.includes(":///") || action === "execute" || action === "network") return undefined;
      const local = localOf(effect);
      const kind = local === undefined ? undefined : ownKind(local);
      const own = kind && ownOpinion(kind, effect, outputMount);
      if (own !== undefined || action === "read") return own;
      const path = target.slice(target.indexOf(":///") + 4);
      const name = protectedName(path, local?.endsWith(`/${path}`) === true ? local.slice(0, -path.length) : "");
      if (name !== undefined) return needsPerson(`${name} is always asked for, because other programs obey it`);
      const why = local === undefined ? undefined : whyObeyed(local);
      return why === undefined ? undefined : needsPerson(`${why}, and what runs was trusted as it is`);
    },
  };
}

/** A path of the whole machine says itself where it lies. */
function localOf({ target, local }: Effect): string | undefined {
  return local ?? (target.startsWith(`${HOST_MOUNT}:///`) ? target.slice(`${HOST_MOUNT}://`.length) : undefined);
}

function ownOpinion(kind: OwnKind, { action, target }: Effect, outputMount: string): Opinion | undefined {
  if (kind === "configuration") return needsPerson("it is ikigai's own configuration");
  const isOutput = kind === "output" && action === "read";
  if (isOutput && (target.startsWith(`${outputMount}:///`) || target.startsWith(`${HOST_MOUNT}:///`))) return undefined;
  const reason = isOutput
    ? `it is kept by ikigai and read as ${outputMount}:///`
    : "it is ikigai's own state, which no tool reads or changes; use the commands of ikigai instead";
  return { decision: "deny", reason };
}

function needsPerson(reason: string): Opinion {
  return { decision: "ask", needs: "person", reason };
}
