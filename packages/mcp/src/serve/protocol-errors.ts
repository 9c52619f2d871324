import { IkigaiError, messageOf } from "@ikigai/core";
import type { LogLevel } from "./server-options.ts";
import type { Sdk } from "./sdk.ts";

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/**
 * Runs a request that has no other way to fail than a protocol error, and bounds what it answers.
 *
 * Contract: without `maxSize` the answer is bounded already, and is not measured again.
 */
export async function answer<T>(
  sdk: typeof Sdk,
  maxSize: number | undefined,
  log: (level: LogLevel, message: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await work();
    if (maxSize === undefined) return result;
    const size = JSON.stringify(result).length;
    if (size <= maxSize) return result;
    throw new IkigaiError("unsupported", `The answer has ${size} characters, more than ${maxSize}`, {
      hint: "Ask for less, with a limit or a narrower path.",
    });
  } catch (error) {
    throw toProtocolError(sdk, error, log);
  }
}

function toProtocolError(sdk: typeof Sdk, error: unknown, log: (level: LogLevel, message: string) => void): Error {
  if (error instanceof sdk.ProtocolError) return error;
  if (!IkigaiError.is(error)) {
    log("error", `A request failed unexpectedly: ${messageOf(error)}`);
    return new sdk.ProtocolError(INTERNAL_ERROR, "The request failed unexpectedly", { error_type: "internal" });
  }
  const code = error.code === "invalid_input" || error.code === "not_found" ? INVALID_PARAMS : INTERNAL_ERROR;
  const text = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
  return new sdk.ProtocolError(code, text, { error_type: error.code });
}
