import { IkigaiError } from "@ikigai/core";
import { actOfAPerson, assertPerson } from "@ikigai/host/policy";
import { confirmAbout, showWhole } from "../terminal/ask-about.ts";
import { trustQuestion } from "../terminal/ask-to-trust.ts";
import { type AddCommand, examples } from "../command-line.ts";
import { readConfig } from "@ikigai/host/configuration";
import { acceptTrust, openProjectTrust, type ProjectTrust } from "@ikigai/host/trust";
import { resolveSettings, type GlobalFlags, type Settings } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Needs no host: nothing of the folder may run before it is trusted. */
export const addTrust: AddCommand = (program, _, { openTerminal, setExitCode }) => {
  program
    .command("trust")
    .description("look at what this folder brings, and trust it or take that back")
    .option("--yes", "trust it without being asked")
    .option("--revoke", "take the trust back")
    .action(async ({ yes = false, revoke = false }: { yes?: boolean; revoke?: boolean }) => {
      const settings = resolveSettings(program.opts<GlobalFlags>());
      const terminal = openTerminal(settings.quiet);
      const loaded = await readConfig(settings.root);
      // What nobody can read would stop every later command once it is trusted.
      if (loaded.fault !== undefined && !revoke) throw loaded.fault;
      const project = await openProjectTrust(settings, loaded);
      const { root } = project;
      if (revoke) {
        // What a trusted project denies would be allowed without it.
        assertPerson("take the trust in a folder back");
        const act = { command: "trust --revoke", effect: { action: "delete", target: `trust://${root}` } } as const;
        const was = await actOfAPerson(settings, act, () => project.revoke());
        terminal.print(was ? "Not trusted any more." : "It was not trusted.");
      } else setExitCode(await decide(project, settings, terminal, yes));
    })
    .addHelpText("after", examples("ikigai trust", "ikigai trust --yes", "ikigai trust --revoke"));
};

async function decide(project: ProjectTrust, settings: Settings, terminal: Terminal, yes: boolean): Promise<number> {
  const { content, state } = project;
  const folder = await project.lookAtFolder();
  const isSame = folder === undefined || folder.changes?.length === 0;
  if (state.state === "trusted" && isSame) {
    terminal.print(
      content.length === 0 ? "This folder brings nothing that would need trust." : "This folder is trusted as it is.",
    );
    return 0;
  }
  assertPerson("trust a folder");
  const question = await trustQuestion(project, "This folder brings:");
  if (yes || !terminal.interactive) showWhole(terminal, question);
  if (!yes && !terminal.interactive) {
    throw new IkigaiError("permission_denied", "Nobody can be asked whether to trust this folder", {
      hint: "Pass --yes after looking at it.",
    });
  }
  const agreed = yes || (await confirmAbout(terminal, question, "Trust this content?"));
  if (agreed) await acceptTrust(settings, project);
  terminal.print(agreed ? "Trusted. A change asks again." : "Not trusted; it has no effect.");
  return agreed ? 0 : 1;
}
