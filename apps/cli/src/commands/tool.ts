import type { Host } from "../host.ts";
import type { Settings } from "../settings.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Calls one tool and prints its envelope as one line.
 *
 * Contract: resolves to the exit code, 0 on success and 1 on failure.
 */
export async function runTool(
  host: Host,
  settings: Settings,
  terminal: Terminal,
  name: string,
  argument: string,
  force: boolean,
): Promise<number> {
  const text = argument === "-" ? await terminal.readInput() : argument;
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  process.once("SIGINT", stop);
  const envelope = await host.registry.call(
    { name, arguments: force ? await withPresentVersion(host, text) : text },
    {
      agent: settings.agent,
      conversation: `script-${process.pid}`,
      signal: interrupted.signal,
      onProgress: terminal.note,
    },
  );
  process.removeListener("SIGINT", stop);
  terminal.print(JSON.stringify(envelope));
  return envelope.success ? 0 : 1;
}

/** `--force`: whatever is there now counts as seen. */
async function withPresentVersion(host: Host, text: string): Promise<string> {
  try {
    const input = JSON.parse(text) as Record<string, unknown>;
    const route = host.sources.route(String(input["path"]));
    const present = await route.source.read(route.address.path);
    return present === undefined ? text : JSON.stringify({ ...input, expected: present.version });
  } catch {
    return text; // The call itself says what is wrong.
  }
}
