import { setTimeout as delay } from "node:timers/promises";
import { type DataStreamDefinition, defineDataStream } from "@ikigai/core";
import { z } from "zod";

/** Counts at a fixed pace. A stream is one async generator; the host pauses, resumes and replays it. */
export const tickerStream: DataStreamDefinition<{ everyMs: number }> = defineDataStream({
  name: "ticker",
  capabilities: ["replay"],
  options: z.object({ everyMs: z.number().positive().default(1_000) }),
  guidance: (mount) => `"${mount}" counts. Use the source tool to pause it.`,

  async open({ everyMs }) {
    return {
      async *events({ signal, after = "0" }) {
        for (let tick = Number(after) + 1; !signal.aborted; tick++) {
          yield { cursor: String(tick), at: new Date(), text: `Tick ${tick}`, data: { tick } };
          await delay(everyMs, undefined, { signal }).catch(() => {});
        }
      },
    };
  },
});
