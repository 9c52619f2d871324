import { createHash } from "node:crypto";
import { compareCodePoints, type DataBlockDefinition, defineDataBlock, IkigaiError } from "@ikigai/core";
import { z } from "zod";

const Index = z.array(z.string());

/** Reads a web server that lists its paths in `index.json` and serves each as a file. Cannot write. */
export const httpDirectory: DataBlockDefinition<{ url: string; timeoutMs: number }, never> = defineDataBlock({
  name: "http-directory",
  capabilities: [],
  options: z.object({ url: z.url({ protocol: /^https?$/ }), timeoutMs: z.number().positive().default(10_000) }),

  async open({ url, timeoutMs }, host) {
    const base = new URL(url.endsWith("/") ? url : `${url}/`);

    async function get(path: string, signal?: AbortSignal): Promise<string | undefined> {
      const target = new URL(path.split("/").map(encodeURIComponent).join("/"), base);
      const signals = [host.signal, AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])];
      try {
        const response = await fetch(target, { signal: AbortSignal.any(signals), redirect: "error" });
        if (response.status === 404) return undefined;
        if (!response.ok) throw new Error(`the server answered ${response.status}`);
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await response.arrayBuffer());
      } catch (cause) {
        throw new IkigaiError("unavailable", `Cannot read ${target.href}`, { cause, hint: "Try again later." });
      }
    }

    return {
      async read(path, options) {
        const text = await get(path, options?.signal);
        return text === undefined ? undefined : { text, version: createHash("sha256").update(text).digest("hex") };
      },
      async *list(prefix, options) {
        const paths = Index.parse(JSON.parse((await get("index.json", options?.signal)) ?? "[]"));
        for (const path of paths.toSorted(compareCodePoints)) if (path.startsWith(prefix)) yield { path };
      },
    };
  },
});
