import { type Envelope, IkigaiError } from "@ikigai/core";

/** Contract: throws when the envelope is a failure, so that a caller can say what went wrong. */
export function dataOf(envelope: Envelope): unknown {
  if (envelope.success) return envelope.data;
  throw new IkigaiError(envelope.code, envelope.error);
}
