import { type DataStreamDefinition, defineDataStream, type StreamEvent } from "@ikigai/core";
import * as z from "zod";
import type { JobEvent, JobLog } from "./job-log.ts";

const jobEventsOptions: z.ZodType<Record<string, never>> = z.strictObject({});

/**
 * Background jobs as a stream: that they start, what they print, a few times a second, and how they end.
 *
 * Contract: replays the latest 1,000 events from memory. A reader that is further behind first hears how many it
 * missed. The jobs belong to whoever created them and are not ended with the stream.
 */
export function jobEvents(jobs: { readonly log: JobLog }): DataStreamDefinition<Record<string, never>> {
  return defineDataStream({
    name: "jobs",
    capabilities: ["replay"],
    options: jobEventsOptions,
    guidance: (mount) => `Background jobs of bash report their output and their end as events of "${mount}".`,
    open: async () => ({ events: ({ signal, after }) => follow(jobs.log, signal, Number(after ?? 0)) }),
  });
}

async function* follow(log: JobLog, signal: AbortSignal, after: number): AsyncGenerator<StreamEvent> {
  let last = after;
  for (;;) {
    const { events, missed } = log.after(last);
    if (missed > 0) {
      last += missed;
      yield { cursor: String(last), at: new Date(), text: `${missed} earlier events are no longer kept` };
    }
    for (const event of events) {
      if (signal.aborted) return;
      last = event.sequence;
      yield toStreamEvent(event);
    }
    if (signal.aborted || (log.isClosed && log.after(last).events.length === 0)) return;
    if (log.after(last).events.length === 0) await log.next(signal);
  }
}

function toStreamEvent({ sequence, at, ...data }: JobEvent): StreamEvent {
  return { cursor: String(sequence), at, text: data.kind === "output" ? `${data.job}: ${data.text}` : data.text, data };
}
