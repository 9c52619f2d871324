import type { ApprovalAnswer, ApprovalRequest, Envelope } from "@ikigai/core";
import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import { askByForms, type SHOW_MORE } from "./approval-form.ts";

/** A question that waits for a person. */
export interface OpenAsk {
  readonly id: string;
  readonly form: ElicitRequestFormParams;
  answer(answer: ApprovalAnswer | typeof SHOW_MORE): void;
}

/** What became of a call: it ended, or it waits for answers. */
export type CallStep =
  | { readonly kind: "ended"; readonly envelope: Envelope }
  | { readonly kind: "asking"; readonly asks: readonly OpenAsk[] };

/** A call that may outlive the request that began it, because it waits for a person. */
export interface RunningCall {
  /** What the call is, to recognise a request that claims to continue it. */
  fingerprint(): string;
  /** Resolves when the call has ended or has something to ask. */
  next(): Promise<CallStep>;
  /** Puts a question to the client and waits. */
  ask(request: ApprovalRequest): Promise<ApprovalAnswer>;
  cancel(): void;
  readonly signal: AbortSignal;
  /** Who hears of progress at the moment. */
  onProgress: ((message: string) => void) | undefined;
}

/** Contract: `run` is called once, at once, and never rejects. */
export function startCall(fingerprint: () => string, run: (call: RunningCall) => Promise<Envelope>): RunningCall {
  const controller = new AbortController();
  const asks = new Map<string, OpenAsk>();
  let wake = (): void => {};

  const put = (form: ElicitRequestFormParams): ReturnType<Parameters<typeof askByForms>[1]> =>
    new Promise((resolve) => {
      const id = `approval-${crypto.randomUUID()}`;
      const answer: OpenAsk["answer"] = (given) => {
        asks.delete(id);
        resolve(given);
      };
      asks.set(id, { id, form, answer });
      wake();
    });

  const call: RunningCall = {
    fingerprint,
    signal: controller.signal,
    onProgress: undefined,
    cancel: () => controller.abort(),
    ask: (request) => askByForms(request, put),
    async next() {
      const asking = new Promise<CallStep>((resolve) => {
        wake = () => {
          if (asks.size > 0) resolve({ kind: "asking", asks: [...asks.values()] });
        };
        wake();
      });
      return Promise.race([ended, asking]);
    },
  };
  const ended = run(call).then((envelope): CallStep => ({ kind: "ended", envelope }));
  return call;
}
