import { basename } from "node:path";
import { otherNames, type Tree, type TreeChange } from "./tree.ts";
import type { World } from "./world.ts";
import type { Ceiling, WorldPlan } from "./world-plan.ts";

/** What is known from outside about the call that made a change. */
export interface CallFacts {
  /** Whether a person said yes while it ran. */
  readonly approved: boolean;
}

// Written down here anew, so that a mistake in the product's list is not repeated.
const OBEYED_NAMES =
  /^(ikigai\.config\.json|\.mcp\.json|\.env(\..*|rc)?|\.npmrc|\.gitmodules|\.gitconfig|\.bashrc|\.profile)$/i;
const OBEYED_FOLDERS = /(^|\/)(\.git|\.husky|\.ssh|\.vscode|\.claude|\.ikigai)(\/|$)/i;

/**
 * Why a change that a tool made breaks the policy of its world, judged by the final place alone.
 *
 * Contract: absent when the change is in order. Knows nothing of the product but its documentation.
 */
export function whyForbidden(world: World, change: TreeChange, before: Tree, facts: CallFacts): string | undefined {
  const { plan, work, handbook, shelf } = world;
  const { path } = change;
  if (plan.mode === "none") return "mode none changes nothing";
  const isReached = plan.mountsState || (plan.isStateInside && plan.folder !== "home by chance");
  if (path.startsWith(`${world.store}/`)) return isReached && facts.approved ? undefined : "it is our own state";
  if (path.startsWith(`${handbook}/`)) return whyForbiddenInMount(world, plan.handbook, change, facts);
  if (path.startsWith(`${shelf}/`))
    return whyForbiddenInMount(world, plan.hasPlugin ? "open" : "absent", change, facts);
  if (plan.folder === "home by chance") return "nobody chose the home folder as a workspace";
  if (!path.startsWith(`${work}/`)) {
    const twin = twinOf(change, before, work);
    // A file of the workspace that has another name elsewhere is a person's to decide on.
    return twin !== "" && facts.approved ? undefined : `it lies outside the workspace${twin}`;
  }
  const inside = path.slice(work.length + 1);
  const action = actionOf(change);
  if ((isObeyed(inside) || path.startsWith(`${world.config}/`)) && !facts.approved)
    return `nobody approved a change of a protected place${twinOf(change, before, work)}`;
  const ceiling = ceilingOf(plan.rules, inside) ?? ceilingOf(plan.ceilings, inside);
  const closed = ceiling && whyClosed(ceiling, change, facts);
  if (closed !== undefined) return `${closed}${twinOf(change, before, work)}`;
  if (facts.approved || plan.mode === "all") return undefined;
  if (isGranted(world, action, `file:///${inside}`)) return undefined;
  if (plan.mode === "edits" && action !== "delete") return undefined;
  return `mode ${plan.mode} asks before ${action}, and nobody approved it`;
}

export function isObeyed(inside: string): boolean {
  return OBEYED_FOLDERS.test(inside) || OBEYED_NAMES.test(basename(inside));
}

function whyForbiddenInMount(
  { plan }: World,
  permission: WorldPlan["handbook"],
  change: TreeChange,
  { approved }: CallFacts,
): string | undefined {
  if (permission !== "open") return `the mount is ${permission}`;
  if (approved || plan.mode === "all") return undefined;
  return `mode ${plan.mode} asks before ${actionOf(change)} outside the workspace and the store`;
}

function ceilingOf(folders: Readonly<Record<string, Ceiling>>, inside: string): Ceiling | undefined {
  return folders[inside.split("/")[0] ?? ""];
}

function whyClosed(ceiling: Ceiling, { before, after }: TreeChange, { approved }: CallFacts): string | undefined {
  if (ceiling === "read_only") return "a rule or a ceiling makes it read_only";
  if (ceiling === "human") return approved ? undefined : "a rule or a ceiling asks a person";
  const appends =
    before === undefined ||
    (after?.bytes !== undefined &&
      before.bytes !== undefined &&
      after.bytes.subarray(0, before.bytes.length).equals(before.bytes));
  return appends ? undefined : "a rule or a ceiling allows appending only";
}

export function actionOf({ change, before, after }: TreeChange): "create" | "update" | "delete" {
  if (change === "created" || before === undefined) return "create";
  return change === "deleted" || after === undefined ? "delete" : "update";
}

function isGranted({ plan }: World, action: string, target: string): boolean {
  return plan.grants.some(
    ({ actions, pattern, kind }) =>
      kind === "address" &&
      (actions.includes(action) || (action === "update" && actions.includes("append"))) &&
      target.startsWith(pattern.replace(/\*\*$/, "")),
  );
}

/** Says that the same bytes have a second name in the workspace. */
function twinOf({ path }: TreeChange, before: Tree, work: string): string {
  return otherNames(before, path).some((other) => other.startsWith(`${work}/`)) ? " (by a hard link)" : "";
}

/** Folders that appear or disappear for what lies below them are part of its change, and in the workspace a change is one of files. */
export function withoutFolders(changes: readonly TreeChange[], world: World): TreeChange[] {
  return changes.filter((change) => {
    if ((change.after ?? change.before)?.kind !== "folder") return true;
    const isInside = [world.work, world.handbook, world.shelf].some((root) => change.path.startsWith(`${root}/`));
    return !isInside && !changes.some(({ path }) => path.startsWith(`${change.path}/`));
  });
}
