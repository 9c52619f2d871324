import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from "vitest/node";

/** Files that take more than some thirty seconds beside others, and the longest of those with coverage. */
export const LONGEST: readonly string[] = [
  "tools/docs/how-to.test.ts",
  "apps/cli/src/screen/chat.pty.test.ts",
  "apps/cli/src/plugins/part-command.test.ts",
  "apps/cli/src/store.test.ts",
  "packages/source-postgres/src/conformance.test.ts",
  "apps/cli/src/every-effect.test.ts",
  "tools/fuzz/fuzz.test.ts",
  "apps/cli/src/trust/held-code.test.ts",
  "apps/cli/src/screen/sessions.pty.test.ts",
  "tools/embedded-use.test.ts",
  "apps/cli/src/acts-of-a-person.test.ts",
  "apps/cli/src/file-source-only.test.ts",
  "apps/cli/src/approval.pty.test.ts",
  "apps/cli/src/screen/editor.pty.test.ts",
  "apps/cli/src/screen/going-on.test.ts",
  "apps/cli/src/recall.test.ts",
  "apps/cli/src/trust/ordinary-layouts.test.ts",
  "tools/docs/pages.test.ts",
  "apps/cli/src/journal-size.test.ts",
  "packages/recall/src/postgres/postgres-recall.test.ts",
  "tools/schedule/schedule.test.ts",
  "apps/cli/src/named-by-configuration.test.ts",
  "packages/host/src/plugins/hostile.test.ts",
  "apps/cli/src/screen/chat-store.pty.test.ts",
  "tools/pack.test.ts",
  "apps/cli/src/mcp/mcp-servers.test.ts",
  "apps/cli/src/plugins/plugin-command.test.ts",
  "packages/database/src/keeper.test.ts",
  "packages/store-postgres/src/budget/budget.test.ts",
  "apps/cli/src/mcp/served-folder.test.ts",
  "packages/create-source/src/create-source.test.ts",
  "apps/cli/src/screen/rendering.pty.test.ts",
  "apps/cli/src/mcp/sdk-clients.test.ts",
  "packages/source-git/src/git-source.test.ts",
  "apps/cli/src/escapes.pty.test.ts",
  "packages/host/src/plugins/plugin-use.test.ts",
  "packages/core/src/testing/mutants/mutants.test.ts",
];

/** Files of long races and faults that take more than a minute. */
export const LONGEST_FAULTS: readonly string[] = [
  "tools/schedule/quiet-orders.faults.test.ts",
  "tools/schedule/contended-orders.faults.test.ts",
  "tools/pack.faults.test.ts",
  "packages/create-source/src/nodes.faults.test.ts",
  "tools/schedule/drawn-orders.faults.test.ts",
  "tools/schedule/killed-saver-orders.faults.test.ts",
  "apps/cli/src/screen/going-on.faults.test.ts",
  "packages/database/src/keeper.faults.test.ts",
  "apps/cli/src/mcp/disturbed-clients.faults.test.ts",
  "tools/fuzz/fuzz.faults.test.ts",
  "apps/cli/src/rename-killed.faults.test.ts",
  "packages/source-file/src/save/disk.faults.test.ts",
  "apps/cli/src/killed-calls.faults.test.ts",
  "tools/release.faults.test.ts",
  "apps/cli/src/mcp/two-clients.faults.test.ts",
  "apps/cli/src/what-was-judged.faults.test.ts",
];

/**
 * Begins with the files that take longest, so that none of them is alone at the end. Without a run before this one
 * nothing else tells them: the order is by size then, and project after project.
 *
 * Contract: `files` are ends of paths, the longest first; the others follow in their usual order.
 */
export function longestFirst(files: readonly string[]): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
      const rank = ({ moduleId }: TestSpecification): number => {
        const at = files.findIndex((file) => moduleId.endsWith(`/${file}`));
        return at === -1 ? files.length : at;
      };
      // oxlint-disable-next-line unicorn/no-array-sort -- the order of vitest, no array's
      const usual = await super.sort(specifications);
      return usual.toSorted((one, other) => rank(one) - rank(other));
    }
  };
}
