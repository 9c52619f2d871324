import { IkigaiError, messageOf } from "@ikigai/core";
import type { FormAnswer, FormRequest } from "@ikigai/core/host";
import { cleanText } from "./clean-text.ts";
import { foreignResult, type ForeignResultOptions } from "./foreign-result.ts";
import type { ForeignCallContext, ForeignToolOptions } from "./foreign-tool.ts";
import type { KeptConnection } from "./kept-connection.ts";

export interface ForeignCallsOptions extends Pick<ForeignResultOptions, "keep"> {
  readonly name: string;
  readonly timeoutMs: number;
  readonly passesForms: boolean;
  readonly use: KeptConnection["use"];
}

/** The calls that run on one server, and the questions that the server asks meanwhile. */
export interface ForeignCalls {
  readonly call: ForeignToolOptions["call"];
  /**
   * Asks whoever made the call that the question belongs to. Which one that is, is only known while there is one: a
   * question must never reach somebody else.
   */
  askForm(request: FormRequest): Promise<FormAnswer>;
}

const MAX_QUESTION = 4_000;
/** Longest wait of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

export function createForeignCalls({ name, timeoutMs, passesForms, use, keep }: ForeignCallsOptions): ForeignCalls {
  const running = new Set<ForeignCallContext>();
  return {
    async call(tool, input, context) {
      const { agent, callId, signal, progress, attach } = context;
      const request = { name: tool, arguments: input };
      const onprogress = (step: { progress: number; total?: number | undefined; message?: string | undefined }): void =>
        progress(step.message ?? `${step.progress}${step.total === undefined ? "" : ` of ${step.total}`}`);
      running.add(context);
      try {
        // A person may take as long as they want; the deadline of the call itself stands still meanwhile.
        const timeout = passesForms ? LONGEST_MS : timeoutMs;
        const result = await use((client) => client.callTool(request, { signal, onprogress, timeout }));
        return await foreignResult(name, tool, result, { callId, agent, attach, keep });
      } catch (error) {
        if (IkigaiError.is(error)) throw error;
        throw new IkigaiError("unavailable", `${tool} of the MCP server "${name}" failed: ${messageOf(error)}`, {
          cause: error,
        });
      } finally {
        running.delete(context);
      }
    },
    async askForm({ message, schema }) {
      const [only] = running;
      if (only?.askForm === undefined || running.size !== 1) return { action: "cancel" };
      // Framed, so that no line of a stranger passes for ours.
      const lines = cleanText(message, MAX_QUESTION).split("\n");
      return only.askForm({
        message: [`The MCP server "${name}" asks:`, ...lines.map((line) => `│ ${line}`)].join("\n"),
        schema,
      });
    },
  };
}
