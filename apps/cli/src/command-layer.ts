import { homedir } from "node:os";
import { relative, resolve, sep } from "node:path";
import { type CallFacts, type Effect, HOST_MOUNT, messageOf, type Opinion, type PolicyLayer } from "@ikigai/core";
import type { CommandPlaces } from "@ikigai/shell";

export interface CommandLayerOptions {
  /** The workspace, as a real path. */
  readonly root: string;
  /** The mount of the workspace. */
  readonly workspace: string;
  /** The places that a command line shows. */
  readonly placesOf: (command: string) => CommandPlaces;
  /** What is asked about every place that a command names. */
  readonly protectedLayer: PolicyLayer;
  /** What else is asked about the places in the workspace, and the addresses, that its redirections write. */
  readonly layers: readonly PolicyLayer[];
}

/** How `bash` names the folder that a command runs in. */
const FOLDER = /^cd '((?:[^']|'\\'')*)' && /;
const STRICTNESS: Readonly<Record<string, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * Holds the places that a command line shows against the rules for paths, so that `echo x > .git/config` is judged like
 * a write of that file.
 *
 * Contract: never throws, only ever tightens. What cannot be seen in the text is not judged here. A redirection into
 * a place that cannot be judged needs a person.
 */
export function createCommandLayer(options: CommandLayerOptions): PolicyLayer {
  const { root, workspace, placesOf, protectedLayer, layers } = options;

  function addressOf(word: string, folder: string): string {
    const home = word === "~" || word.startsWith("~/") ? homedir() + word.slice(1) : word;
    const absolute = resolve(root, folder, home);
    const inside = relative(root, absolute);
    const isInside = inside !== ".." && !inside.startsWith(`..${sep}`);
    return isInside ? `${workspace}:///${inside}` : `${HOST_MOUNT}://${absolute}`;
  }

  async function opinionOn(
    word: string,
    effect: Effect,
    facts: CallFacts,
    asked: readonly PolicyLayer[],
    isWritten: boolean,
  ): Promise<Opinion | undefined> {
    let strictest: Opinion | undefined;
    for (const layer of asked) strictest = stricter(strictest, await opinionOf(layer, effect, facts, isWritten));
    if (strictest === undefined || strictest.decision === "allow") return undefined;
    return { ...strictest, reason: `the command names ${JSON.stringify(word)}: ${strictest.reason}` };
  }

  /** An address is written back when the command has ended, and asked for then; what is closed is closed before. */
  async function closedAddress(word: string, facts: CallFacts): Promise<Opinion | undefined> {
    const found = await opinionOn(word, { action: "create", target: word }, facts, layers, true);
    return found?.decision === "deny" ? found : undefined;
  }

  /** Where the folder itself is what is protected, naming a word of the command would mislead. */
  async function opinionOnFolder(folder: string, facts: CallFacts): Promise<Opinion | undefined> {
    const effect = { action: "update", target: addressOf(".", folder) } as const;
    const opinion = await opinionOf(protectedLayer, effect, facts, false);
    return opinion && { ...opinion, reason: `the command runs in ${JSON.stringify(folder)}: ${opinion.reason}` };
  }

  return {
    name: "command",
    async judge({ action, target }, facts) {
      if (action !== "execute" || facts.tool !== "bash") return undefined;
      const folder = FOLDER.exec(target)?.[1]?.replaceAll(String.raw`'\''`, "'") ?? ".";
      const { written, named } = placesOf(target.replace(FOLDER, ""));
      let found: Opinion | undefined;
      for (const word of [...written, ...named]) {
        if (word.includes("\0")) continue;
        if (word.includes(":///")) {
          if (written.includes(word)) found = stricter(found, await closedAddress(word, facts));
          continue;
        }
        const address = addressOf(word, folder);
        const isWritten = written.includes(word);
        const inWorkspace = address.startsWith(`${workspace}:///`);
        const asked = isWritten && inWorkspace ? [protectedLayer, ...layers] : [protectedLayer];
        found = stricter(found, await opinionOn(word, { action: "update", target: address }, facts, asked, isWritten));
      }
      return found?.decision === "ask" && folder !== "." ? ((await opinionOnFolder(folder, facts)) ?? found) : found;
    },
  };
}

/** A word of a command need not be a path that we could judge: it may hold line breaks, or be a whole program. */
async function opinionOf(
  layer: PolicyLayer,
  effect: Effect,
  facts: CallFacts,
  isWritten: boolean,
): Promise<Opinion | undefined> {
  try {
    return await layer.judge(effect, facts);
  } catch (error) {
    if (!isWritten) return undefined;
    return { decision: "ask", needs: "person", reason: `it cannot be judged as a path: ${messageOf(error)}` };
  }
}

function stricter(worst: Opinion | undefined, next: Opinion | undefined): Opinion | undefined {
  if (worst === undefined || next === undefined) return worst ?? next;
  return rank(next) > rank(worst) ? next : worst;
}

function rank({ decision, needs }: Opinion): number {
  return (STRICTNESS[decision] as number) * 2 + (needs === "person" ? 1 : 0);
}
