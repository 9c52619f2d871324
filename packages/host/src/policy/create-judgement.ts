import { join } from "node:path";
import type { HostServices } from "@ikigai/core";
import {
  type ApprovalMode,
  type CommandReader,
  createPolicy,
  OUTPUT_MOUNT,
  type Policy,
  type PolicyLayer,
  type SourceManager,
} from "@ikigai/core/host";
import { createJsonFile, createProtectedLayer, grantFile, type Grants, openGrants } from "@ikigai/permission";
import type { Config } from "../configuration/config.ts";
import type { Place } from "../place/place.ts";
import { obeyedFiles } from "../trust/code-runs.ts";
import { codeUnits } from "../trust/code-unit.ts";
import { agentLayer } from "./agent-layer.ts";
import { createPlaceFollower, leadsInside } from "./effect-places.ts";
import { createHostPolicy } from "./host-policy.ts";
import { createOwnPlaces, type OwnPlaces } from "./own-places.ts";

export interface JudgementOptions {
  readonly place: Place;
  /** The workspace, as a real path. */
  readonly root: string;
  readonly config: Config;
  /** The sources that are mounted when something is judged. */
  readonly sources: () => SourceManager;
  /** What parts offer when something is judged: one of them reads commands. */
  readonly services: () => HostServices;
}

/** The host's policy: says of every effect whether it is allowed, asked for or denied. */
export interface Judgement {
  readonly own: OwnPlaces;
  /** Whether a file of this machine is our own and not to be served by a mount. */
  isOwn(local: string, mount: string): boolean;
  readonly grants: Grants;
  /** Layers of the open parts, read at each call. */
  readonly layers: PolicyLayer[];
  /** Mounts of parts that mode `edits` covers. */
  readonly editable: Set<string>;
  /** The policy for calls of a mode. */
  policyFor(mode: () => ApprovalMode): Policy;
  /** Says whether a change of an address would touch the fixed protected set, wherever links lead. */
  readonly protection: Policy;
  /** Whether a rule for commands would allow a command that was understood. */
  coversCommand(rule: string, command: string): boolean;
}

/** Puts together protected places, agents' ceilings, grants and what parts say. Contract: judges nothing by itself. */
export async function createJudgement(options: JudgementOptions): Promise<Judgement> {
  const { place, root, config, sources } = options;
  const reader = (): CommandReader | undefined => options.services().commandReader;
  const editable = new Set<string>();
  const own = createOwnPlaces(place);
  const follower = createPlaceFollower(sources);
  const protectedLayer = createProtectedLayer({
    ownKind: (local) => own.kindOf(local),
    outputMount: OUTPUT_MOUNT,
    whyObeyed: await obeyedFiles(codeUnits(config, root)),
  });
  /** A program that only looks reads through links what the tools would refuse, so a rule covers it only in here. */
  const allowsInside = (rule: string, command: string): boolean =>
    reader()?.allows(rule, command) === true &&
    reader()
      ?.placesOf(command)
      .read.every((word) => leadsInside(root, word)) === true;
  const grants = await openGrants({
    root,
    file: createJsonFile(join(place.stateDirectory, "permissions.json"), grantFile, { grants: [] }),
    matchesCommand: allowsInside,
  });
  const sourceLayer: PolicyLayer = {
    name: "source",
    judge: (...given) => sources().policyLayer.judge(...given),
  };
  const layers: PolicyLayer[] = [agentLayer(config.agents ?? []), sourceLayer];
  return {
    own,
    isOwn: (local, mount) => mount !== OUTPUT_MOUNT && own.isOwn(local),
    grants,
    layers,
    editable,
    policyFor: (mode) =>
      createHostPolicy({
        root,
        reader,
        own,
        follower,
        protectedLayer,
        layers,
        grants,
        isEditableMount: (mount) => editable.has(mount),
        mode,
      }),
    protection: createPolicy({
      layers: [protectedLayer],
      follow: (effect) => follower.follow(effect),
      mode: () => "all",
    }),
    coversCommand: (rule, command) => reader()?.isUnderstood(rule) === true && allowsInside(rule, command),
  };
}
