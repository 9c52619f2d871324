import { setTimeout as wait } from "node:timers/promises";
import type { LanguageModelV3 } from "@ai-sdk/provider";
import { IkigaiError } from "@ikigai/core";
import { askModel, type ModelReply, type ModelRequest, type ReplyListener } from "../model/model.ts";
import { type Diagnosis, diagnose } from "../model/provider-errors.ts";

export interface RetryOptions {
  /** Requests at most, the first included. Default 4. */
  readonly attempts?: number;
  /** Milliseconds before the first repeat; doubles each time. Default 1,000. */
  readonly firstWaitMs?: number;
  /** The longest wait that is honoured; a provider that asks for more ends the turn. Default 60,000. */
  readonly longestWaitMs?: number;
  /** Milliseconds without any sign of life until a stream counts as cut. Default 120,000. */
  readonly stallMs?: number;
  /** Waits before a retry. Default: a timer; tests give their own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now?: () => Date;
  /** Between 0 and 1, spreads the waits of many clients. */
  readonly random?: () => number;
}

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const STALL_MS = 120_000;

/** Thrown when the request has to be made smaller before it makes sense to ask again. */
export class RequestTooLong extends IkigaiError {}

/**
 * The one layer that repeats requests.
 *
 * Contract: at most `attempts` requests; nothing the model said in a broken attempt is returned; an abort ends it at
 * once with `aborted`; a stream that stays silent for `stallMs` counts as cut.
 */
export async function askWithRetry(
  model: LanguageModelV3,
  request: ModelRequest,
  listener: ReplyListener,
  signal: AbortSignal,
  options: RetryOptions = {},
): Promise<ModelReply> {
  const {
    attempts = ATTEMPTS,
    now = () => new Date(),
    sleep = (ms, stop) => wait(ms, undefined, { signal: stop }),
  } = options;
  for (let attempt = 1; ; attempt++) {
    const watchdog = createWatchdog(options.stallMs ?? STALL_MS, signal);
    try {
      const heard = { onText: (delta: string) => listener.onText(delta), onPart: () => watchdog.alive() };
      return await Promise.race([askModel(model, request, heard, watchdog.signal), watchdog.stalled]);
    } catch (error) {
      if (signal.aborted) throw new IkigaiError("aborted", "The turn was stopped");
      const diagnosis = diagnose(error, now());
      if (diagnosis.overflow)
        throw new RequestTooLong("over_budget", diagnosis.error.message, { hint: diagnosis.error.hint ?? "" });
      const waitMs = nextWait(diagnosis, attempt, options);
      if (waitMs === undefined || attempt >= attempts) throw exhausted(diagnosis, attempt);
      listener.onRestart(
        `${diagnosis.error.message}; attempt ${attempt + 1} of ${attempts} in ${Math.round(waitMs / 1_000)} s`,
      );
      await sleep(waitMs, signal).catch(() => {
        throw new IkigaiError("aborted", "The turn was stopped");
      });
    } finally {
      watchdog.stop();
    }
  }
}

/** How long to wait, or `undefined` when waiting makes no sense. */
function nextWait({ retry, waitMs }: Diagnosis, attempt: number, options: RetryOptions): number | undefined {
  if (!retry) return undefined;
  const longest = options.longestWaitMs ?? LONGEST_WAIT_MS;
  if (waitMs !== undefined) return waitMs <= longest ? waitMs : undefined;
  const spread = 0.75 + 0.5 * (options.random ?? Math.random)();
  return Math.min(longest, (options.firstWaitMs ?? FIRST_WAIT_MS) * 2 ** (attempt - 1) * spread);
}

function exhausted({ retry, waitMs, error }: Diagnosis, attempts: number): IkigaiError {
  if (!retry) return error;
  const asked = waitMs === undefined ? "" : `, which asked to wait ${Math.round(waitMs / 1_000)} s`;
  return new IkigaiError(
    error.code,
    `${error.message} (gave up after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}${asked})`,
    {
      ...(error.hint !== undefined && { hint: error.hint }),
      cause: error.cause,
    },
  );
}

interface Watchdog {
  readonly signal: AbortSignal;
  readonly stalled: Promise<never>;
  alive(): void;
  stop(): void;
}

function createWatchdog(ms: number, caller: AbortSignal): Watchdog {
  const controller = new AbortController();
  let fail: (error: Error) => void;
  const stalled = new Promise<never>((_, reject) => (fail = reject));
  stalled.catch(() => {});
  const onAbort = (): void => {
    controller.abort(caller.reason);
    fail(new IkigaiError("aborted", "The turn was stopped"));
  };
  const onStall = (): void => {
    const error = Object.assign(new Error(`no sign of life for ${ms} ms`), { name: "TimeoutError" });
    controller.abort(error);
    fail(error);
  };
  let timer = setTimeout(onStall, ms);
  if (caller.aborted) onAbort();
  else caller.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    stalled,
    alive() {
      clearTimeout(timer);
      timer = setTimeout(onStall, ms);
    },
    stop() {
      clearTimeout(timer);
      caller.removeEventListener("abort", onAbort);
    },
  };
}
