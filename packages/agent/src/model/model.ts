import type { LanguageModelV3, LanguageModelV3FunctionTool, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { CallPart } from "../messages.ts";

export interface ModelRequest {
  readonly prompt: LanguageModelV3Prompt;
  readonly tools: readonly LanguageModelV3FunctionTool[];
  readonly maxOutputTokens?: number;
}

export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  /** Tokens of the input that the provider had cached. */
  readonly cached: number;
}

/** Everything a model said in one step. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly CallPart[];
  readonly usage: TokenUsage;
  /** `length` when the model ran out of room in the middle. */
  readonly finish: "stop" | "tool-calls" | "length" | "filter" | "other";
}

export interface ReplyListener {
  onText(delta: string): void;
  /** Any sign of life, text or not. */
  onPart?(): void;
  /** The reply broke off and is asked for again: what was shown of it does not count. */
  onRestart(reason: string): void;
}

/** A stream that ended without saying that it was done. */
export class CutStream extends Error {
  override readonly name = "CutStream";
}

/**
 * Asks the model once.
 *
 * Contract: resolves only when the provider said that the reply is complete, so a call of a stream that was cut is never
 * seen. Rejects with what the provider threw, with {@link CutStream}, or with the signal's reason.
 */
export async function askModel(
  model: LanguageModelV3,
  request: ModelRequest,
  listener: Pick<ReplyListener, "onText" | "onPart">,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { stream } = await model.doStream({
    prompt: request.prompt,
    ...(request.tools.length > 0 && { tools: [...request.tools] }),
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    abortSignal: signal,
  });
  let text = "";
  const calls: CallPart[] = [];
  const reader = stream.getReader();
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value: part } = await reader.read();
      if (done) throw new CutStream("the reply ended before it was complete");
      listener.onPart?.();
      if (part.type === "text-delta") {
        text += part.delta;
        listener.onText(part.delta);
      } else if (part.type === "tool-call" && part.providerExecuted !== true) {
        calls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input });
      } else if (part.type === "error") {
        throw part.error;
      } else if (part.type === "finish") {
        // Adapters make up a finish when the connection breaks; only the provider's own word counts.
        if (part.finishReason.raw === undefined) throw new CutStream("the reply broke off");
        const { inputTokens, outputTokens } = part.usage;
        const usage = {
          input: inputTokens.total ?? 0,
          output: outputTokens.total ?? 0,
          cached: inputTokens.cacheRead ?? 0,
        };
        return { text, calls, usage, finish: toFinish(part.finishReason.unified) };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function toFinish(reason: string): ModelReply["finish"] {
  if (reason === "stop" || reason === "tool-calls" || reason === "length") return reason;
  return reason === "content-filter" ? "filter" : "other";
}
