import type { BashResult } from "./bash-tool.ts";
import type { AddressOutcome } from "../command/materialise.ts";

/** What a command printed, then one line with how it ended and what it left. */
export function bashText(data: unknown): string {
  const { output = "", ...facts } = data as Partial<BashResult>;
  const { exit_code: code, signal, job, log, still_running: running, kept, addresses = [] } = facts;
  const ended = [
    ...(code === undefined ? [] : [`exit code ${code}`]),
    ...(signal === undefined ? [] : [`ended by ${signal}`]),
    ...(job === undefined ? [] : [`job ${job} runs in the background`]),
    ...(log === undefined ? [] : [`its output is kept in the block ${log}`]),
    ...(running === undefined ? [] : [`${running} processes still run`]),
    ...(kept === undefined ? [] : [`the whole output, ${kept.total_bytes} bytes, is in ${kept.path}`]),
    ...addresses.map(outcomeText),
  ];
  const separator = output === "" || output.endsWith("\n") ? "" : "\n";
  return `${output}${separator}[${ended.join("; ")}]`;
}

function outcomeText(outcome: AddressOutcome): string {
  if (outcome.change !== "left_aside") return `${outcome.change} ${outcome.uri}`;
  const kept = outcome.path === undefined ? "" : `, its text is kept in ${outcome.path}`;
  return `${outcome.uri} was not written: ${outcome.error} (${outcome.code})${kept}`;
}
