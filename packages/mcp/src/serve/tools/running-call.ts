import type { Envelope } from "@ikigai/core";
import type { Attachment, FormAnswer } from "@ikigai/core/host";
import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";

/** A question that waits for a person. */
export interface OpenAsk {
  readonly id: string;
  readonly form: ElicitRequestFormParams;
  /** Contract: `undefined` when the client brought no answer. */
  answer(answer: FormAnswer | undefined): void;
}

/** What became of a call: it ended, or it waits for answers. */
export type CallStep =
  | { readonly kind: "ended"; readonly envelope: Envelope }
  | { readonly kind: "asking"; readonly asks: readonly OpenAsk[] };

/** A call that may outlive the request that began it, because it waits for a person. */
export interface RunningCall {
  /** Fingerprint of tool and arguments, to recognise a request that claims to continue the call. */
  fingerprint(): string;
  /** Resolves when the call has ended or has something to ask. */
  next(): Promise<CallStep>;
  /** Puts a question to the client and waits. */
  ask(form: ElicitRequestFormParams, key?: string): Promise<FormAnswer | undefined>;
  cancel(): void;
  readonly signal: AbortSignal;
  /** Attachments that the tool gave so far. */
  readonly attachments: Attachment[];
  /** Listener for progress of the call at the moment. */
  onProgress: ((message: string) => void) | undefined;
}

/** Contract: `run` is called once, at once, and never rejects. */
export function startCall(fingerprint: () => string, run: (call: RunningCall) => Promise<Envelope>): RunningCall {
  const controller = new AbortController();
  const asks = new Map<string, OpenAsk>();
  let wake = (): void => {};

  const call: RunningCall = {
    fingerprint,
    signal: controller.signal,
    attachments: [],
    onProgress: undefined,
    cancel: () => controller.abort(),
    ask(form, key) {
      return new Promise((resolve) => {
        const id = key === undefined || asks.has(key) ? `question-${crypto.randomUUID()}` : key;
        const answer = (given: FormAnswer | undefined): void => {
          asks.delete(id);
          resolve(given);
        };
        asks.set(id, { id, form, answer });
        wake();
      });
    },
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
