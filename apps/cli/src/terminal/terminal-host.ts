import type { Host, HostOptions } from "@ikigai/host";
import { approveInTerminal } from "./approve-in-terminal.ts";
import { askHowToReconcile } from "./ask-how-to-reconcile.ts";
import { reserveStdout } from "./results-output.ts";
import type { Settings } from "../settings.ts";
import type { Terminal } from "./terminal.ts";

/** Where the flags say that the host works. The mode is asked for at each call. */
export function placeOf(
  settings: Settings,
): Pick<HostOptions, "root" | "store" | "agent" | "mode" | "configDirectory"> {
  return {
    root: settings.root,
    store: settings.storeUrl ?? settings.stateDirectory,
    agent: settings.agent,
    mode: () => settings.approve,
    configDirectory: settings.configDirectory,
  };
}

/** What a host is told to say and ask, as the person at the terminal sees it. */
export function voiceOf(terminal: Terminal): Omit<HostOptions, keyof ReturnType<typeof placeOf>> {
  const watched = terminal.interactive || terminal.live !== undefined;
  return {
    warn: (message) => terminal.complain(message),
    note: (message) => terminal.note(message),
    beforeImport: reserveStdout,
    // Whoever watches wonders; a script does not.
    ...(watched && { notifyOfWait: (message) => terminal.note(message) }),
    ...(terminal.live && { showProgress: terminal.live }),
    ...(terminal.interactive && {
      createApprover: ({ grants, ...means }) => approveInTerminal(terminal, grants, means),
      reconcile: askHowToReconcile(terminal),
    }),
  };
}

/** A host whose person sits at the terminal. */
export async function openTerminalHost(
  settings: Settings,
  terminal: Terminal,
  options: Omit<HostOptions, keyof ReturnType<typeof placeOf>> = {},
): Promise<Host> {
  const { openHost } = await import("@ikigai/host");
  return openHost({ ...placeOf(settings), ...voiceOf(terminal), ...options });
}
