import type { ServerResponse } from "node:http";

/**
 * Sends a web response through a Node one.
 *
 * Contract: the head leaves at once, also when the body is a stream that says nothing yet. A receiver that goes away
 * ends the stream at once, so that whoever feeds it notices. Resolves when all is sent or the receiver is gone.
 */
export async function sendHttpResponse({ status, headers, body }: Response, target: ServerResponse): Promise<void> {
  target.writeHead(status, Object.fromEntries(headers));
  if (body === null) {
    target.end();
    return;
  }
  target.flushHeaders();
  const reader = body.getReader();
  const gone = new Promise<"gone">((resolve) => target.once("close", () => resolve("gone")));
  const cancel = (): void => void reader.cancel().catch(() => {});
  target.once("close", cancel);
  // A receiver that left before this began is told of by no event.
  if (target.destroyed) cancel();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || target.destroyed) break;
    if (target.write(value)) continue;
    const drained = new Promise<"drained">((resolve) => target.once("drain", () => resolve("drained")));
    if ((await Promise.race([drained, gone])) === "gone") break;
  }
  target.off("close", cancel);
  target.end();
}
