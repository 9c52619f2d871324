import { randomUUID } from "node:crypto";
import { type Action, type Effect, IkigaiError } from "@ikigai/core";
import { type Grant, splitAddress } from "@ikigai/core/host";
import { Minimatch } from "minimatch";
import { z } from "zod";
import type { JsonFile } from "./json-file.ts";

/** How long a grant lasts. An answer that counts once is no grant. */
export type GrantDuration = "session" | "project" | "user";

/** A standing answer as it is kept. */
export interface GrantRecord {
  readonly id: string;
  readonly actions: readonly Action[];
  readonly pattern: string;
  readonly kind: "address" | "command";
  readonly names_target: boolean;
  readonly duration: GrantDuration;
  /** The workspace of a project grant. */
  readonly root?: string | undefined;
  readonly created_at: string;
}

export interface GrantRecords {
  readonly grants: readonly GrantRecord[];
}

const MAX_PATTERN = 1_000;

const record = z.strictObject({
  id: z.string(),
  actions: z.array(z.enum(["read", "create", "append", "update", "delete", "execute", "network", "admin"])).min(1),
  pattern: z.string().min(1).max(MAX_PATTERN),
  kind: z.enum(["address", "command"]),
  names_target: z.boolean(),
  duration: z.enum(["session", "project", "user"]),
  root: z.string().optional(),
  created_at: z.string(),
});

export const grantFile: z.ZodType<GrantRecords> = z.strictObject({ grants: z.array(record) });

export interface NewGrant {
  readonly actions: readonly Action[];
  /** A glob over addresses such as `file:///src/**`, or a command rule such as `git status`. */
  readonly pattern: string;
  readonly kind: "address" | "command";
  /** Whether the pattern names the target, rather than a kind of action in a whole mount. */
  readonly namesTarget: boolean;
  readonly duration: GrantDuration;
}

export interface Grants {
  /** Grants in force in this workspace, as the policy asks for them. */
  current(): readonly Grant[];
  /**
   * Contract: resolves once it is kept for as long as it lasts. `invalid_input` for a pattern that is no glob, and for a
   * pattern of addresses that would grant execution: a command that names an address is still a command.
   */
  add(grant: NewGrant): Promise<GrantRecord>;
  list(): readonly GrantRecord[];
  /** Contract: `not_found` for an unknown id. */
  revoke(id: string): Promise<void>;
}

export interface GrantsOptions {
  /** The workspace that project grants belong to. */
  readonly root: string;
  readonly file: JsonFile<GrantRecords>;
  /** Whether a command falls under a rule. Absent: no command does. Throwing: this rule covers nothing. */
  readonly matchesCommand?: (rule: string, command: string) => boolean;
  readonly now?: () => Date;
}

const MAX_BRACES = 16;

/** Opens the user's grants. Those of other projects are kept, and do not count here. */
export async function openGrants({
  root,
  file,
  matchesCommand,
  now = () => new Date(),
}: GrantsOptions): Promise<Grants> {
  const session: GrantRecord[] = [];
  let kept = (await file.read()).grants;
  const inForce = (): GrantRecord[] =>
    [...session, ...kept].filter((one) => one.duration !== "project" || one.root === root);
  const compiled = new Map<string, Grant>();
  const toGrant = (one: GrantRecord): Grant => {
    const known = compiled.get(one.id) ?? compile(one, matcherOf(one, matchesCommand));
    compiled.set(one.id, known);
    return known;
  };
  /** A record that somebody else wrote, or that an earlier version kept, must not stop every call. */
  const toKeptGrant = (one: GrantRecord): Grant => {
    try {
      return toGrant(one);
    } catch {
      return compile(one, () => false);
    }
  };

  return {
    current: () => inForce().map(toKeptGrant),
    async add({ actions, pattern, kind, namesTarget, duration }) {
      const added: GrantRecord = {
        id: randomUUID().slice(0, 8),
        actions,
        pattern,
        kind,
        names_target: namesTarget,
        duration,
        ...(duration === "project" && { root }),
        created_at: now().toISOString(),
      };
      if (whyInert(added) !== undefined) {
        throw new IkigaiError("invalid_input", `${JSON.stringify(pattern)} cannot be granted: ${whyInert(added)}`, {
          hint: "Grant the first words of the command instead.",
        });
      }
      if (pattern.length > MAX_PATTERN) {
        throw new IkigaiError(
          "invalid_input",
          `A pattern has at most ${MAX_PATTERN} characters, not ${pattern.length}`,
          { hint: "Shorten it with ** for what it should cover." },
        );
      }
      toGrant(added);
      if (duration === "session") session.push(added);
      else kept = (await file.update(({ grants }) => ({ grants: [...grants, added] }))).grants;
      return added;
    },
    list: inForce,
    async revoke(id) {
      const index = session.findIndex((one) => one.id === id);
      if (index !== -1) {
        session.splice(index, 1);
        return;
      }
      if (!kept.some((one) => one.id === id)) {
        throw new IkigaiError("not_found", `No grant has the id ${JSON.stringify(id)}`, {
          hint: "List the grants first.",
        });
      }
      kept = (await file.update(({ grants }) => ({ grants: grants.filter((one) => one.id !== id) }))).grants;
    },
  };
}

/**
 * Why a grant covers nothing, although it is kept.
 *
 * Only a command rule grants execution: `cat ikigai:///a; rm b` is no address, though a pattern of addresses may fit it.
 */
export function whyInert({ actions, kind }: Pick<GrantRecord, "actions" | "kind">): string | undefined {
  if (actions.every((action) => (action === "execute") === (kind === "command"))) return undefined;
  return kind === "command"
    ? "a command rule grants execution and nothing else"
    : "a pattern of addresses does not grant execution";
}

function compile(one: GrantRecord, matches: (target: string) => boolean): Grant {
  return {
    name: `grant ${one.id}: ${one.actions.join(", ")} ${one.pattern} (${one.duration})`,
    namesTarget: one.names_target,
    covers: ({ action, target }: Effect) =>
      one.actions.includes(action) && (action === "execute") === (one.kind === "command") && matches(target),
  };
}

/** Contract: throws `invalid_input` for a pattern that is none. */
function matcherOf(one: GrantRecord, matchesCommand: GrantsOptions["matchesCommand"]): (target: string) => boolean {
  if (one.kind === "address") return matcher(one.pattern);
  return (target) => {
    try {
      return matchesCommand?.(one.pattern, target) === true;
    } catch {
      return false;
    }
  };
}

/** Contract: the scheme is compared literally, so no pattern reaches from one mount into another. */
function matcher(pattern: string): (target: string) => boolean {
  const [scheme, glob] = split(pattern);
  if (scheme === undefined || glob === undefined || (glob.match(/[{,]/g)?.length ?? 0) > MAX_BRACES) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(pattern)} is no pattern of addresses`, {
      hint: "Write it as file:///src/**.",
    });
  }
  const compiled = new Minimatch(glob, { dot: true, nonegate: true, nocomment: true, braceExpandMax: MAX_BRACES });
  return (target) => {
    const [mount, path] = split(target);
    return mount === scheme && path !== undefined && compiled.match(path);
  };
}

function split(address: string): [string | undefined, string | undefined] {
  const { mount, path } = splitAddress(address) ?? {};
  return [mount, path];
}
