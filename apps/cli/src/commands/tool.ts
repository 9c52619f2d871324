import { type Envelope, IkigaiError } from "@ikigai/core";
import { withHint } from "@ikigai/core/host";
import { type AddCommand, examples, type Session } from "../command-line.ts";
import { withPresentVersion } from "@ikigai/host/policy";
import { whyNoTool } from "@ikigai/host/parts";

export const addTool: AddCommand = (program, withSession) => {
  program
    .command("tool")
    .description("call one tool and print its envelope as one JSON line")
    .argument("<name>", "the tool")
    .argument("[arguments]", "a JSON object, or - to read it from standard input", "{}")
    .option("--force", "file_write: whatever is there now counts as seen")
    .action(
      withSession((session, name: string, argument: string, { force = false }: { force?: boolean }) =>
        runTool(session, name, argument, force),
      ),
    )
    .addHelpText(
      "after",
      examples(
        `ikigai tool file_read '{"path":"src/a.ts","offset":10,"limit":5}'`,
        `ikigai tool file_edit '{"path":"a.md","old":"x","new":"y"}' --approve edits`,
        `echo '{"path":"README.md"}' | ikigai tool file_read -`,
      ),
    );
};

/** Contract: resolves to the exit code, 0 when the envelope says success and 1 when it does not. */
async function runTool(
  { host, settings, terminal }: Session,
  name: string,
  argument: string,
  force: boolean,
): Promise<number> {
  const text = argument === "-" ? await terminal.readInput() : argument;
  if (force) assertForceFits(name, text);
  const missing = whyNoTool(name);
  if (missing !== undefined) {
    const { code, message, hint } = missing;
    terminal.print(JSON.stringify({ success: false, error: withHint(message, hint), code } satisfies Envelope));
    return 1;
  }
  await host.servers.start(host.servers.neededFor(name, text));
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  process.once("SIGINT", stop);
  const envelope = await host.registry.call(
    { name, arguments: force ? await withPresentVersion(host, text) : text },
    {
      agent: settings.agent,
      conversation: `script-${process.pid}`,
      signal: interrupted.signal,
      onProgress: (message) => terminal.note(message),
    },
  );
  process.removeListener("SIGINT", stop);
  terminal.print(JSON.stringify(envelope));
  return envelope.success ? 0 : 1;
}

/** Contract: misuse when `--force` has nothing to do, or contradicts the call. */
function assertForceFits(name: string, text: string): void {
  if (name !== "file_write")
    throw new IkigaiError("invalid_input", `--force is for file_write, not for ${name}`, {
      hint: "Leave --force out.",
    });
  if (/"expected"\s*:/.test(text)) {
    throw new IkigaiError("invalid_input", "--force and expected contradict each other", { hint: "Pass one of them." });
  }
}
