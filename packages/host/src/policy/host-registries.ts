import { IkigaiError } from "@ikigai/core";
import { type ApprovalMode, createToolRegistry, type ToolRegistry, withHint } from "@ikigai/core/host";
import type { Config } from "../configuration/config.ts";
import type { HostOptions } from "../host.ts";
import { whyNoTool } from "../parts/features.ts";
import type { Outputs } from "../parts/outputs/outputs.ts";
import type { HostStore } from "../store/host-store.ts";
import type { CodeRuns } from "../trust/code-runs.ts";
import { askPartner, orAskPartner } from "./ask-partner.ts";
import type { Judgement } from "./create-judgement.ts";
import { commandHooks } from "./hooks.ts";
import { howToAllow } from "./host-policy.ts";
import { leaveToProposal } from "./leave-to-proposal.ts";
import type { MeantPlaces } from "./meant-places.ts";

export interface HostRegistriesOptions {
  /** The workspace, as a real path. */
  readonly root: string;
  readonly config: Config;
  readonly judgement: Judgement;
  readonly mode: () => ApprovalMode;
  readonly store: HostStore;
  readonly outputs: Outputs;
  readonly runs: CodeRuns;
  /** Absent: there is no workspace. */
  readonly meant: MeantPlaces | undefined;
  readonly options: Pick<HostOptions, "approve" | "createApprover" | "assist">;
  readonly warn: (message: string) => void;
}

/**
 * The registries in which tools are called: by a model, whose calls may have to be asked for, and by commands that a
 * person typed, who has said yes.
 */
export interface HostRegistries {
  readonly registry: ToolRegistry;
  readonly typed: ToolRegistry;
}

export function createHostRegistries(options: HostRegistriesOptions): HostRegistries {
  const { root, config, judgement, mode, store, outputs, runs, meant, warn } = options;
  const asking = options.options;
  const hooks = commandHooks(config.hooks, root, runs, warn);
  const common = {
    ...(hooks !== undefined && { hooks }),
    whyAbsent: whyNoTool,
    audit: store.audit,
    howToAllow: (asked: Parameters<typeof howToAllow>[0]) => howToAllow(asked, mode()),
    onDefect: (error: unknown, { name }: { name: string }) => warn(`${name}: ${describeDefect(error)}`),
    keepOutput: outputs.keep,
    ...(config.max_output_size !== undefined && { maxOutputSize: config.max_output_size }),
    ...(config.timeout_ms !== undefined && { timeoutMs: config.timeout_ms }),
  };
  const waiting = config.answer_within_ms === undefined ? {} : { waitMs: config.answer_within_ms };
  const partner = askPartner({ requests: store.approvals, notify: warn, ...waiting });
  const { grants, coversCommand } = judgement;
  const present = asking.approve ?? asking.createApprover?.({ grants, partner, coversCommand, ...waiting });
  const approver = orAskPartner(present, partner);
  const called = createToolRegistry({
    ...common,
    policy: judgement.policyFor(mode),
    approver: asking.assist?.confirm === undefined ? approver : leaveToProposal(approver),
  });
  const typed = createToolRegistry({
    ...common,
    policy: judgement.policyFor(() => (mode() === "none" ? "none" : "all")),
    approver: async () => ({ approved: true, by: "whoever typed it" }),
  });
  const register: ToolRegistry["register"] = (tools) =>
    called.register(meant === undefined ? tools : tools.map((tool) => meant.guard(tool)));
  return { registry: { ...called, register }, typed };
}

/** Our own faults with their stack; what the user can mend in a sentence. */
function describeDefect(error: unknown): string {
  if (IkigaiError.is(error)) return withHint(error.message, error.hint);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
