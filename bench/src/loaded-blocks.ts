import { openOurTools } from "./our-tools.ts";

/** A process of its own that loads blocks and says what memory they took, in MB, as one line of JSON. */
const [root = ".", count = "0"] = process.argv.slice(2);
const tools = await openOurTools(root);
await tools.call("file_read", { path: "block0.txt" });
await tools.call("file", { op: "load", path: "block0.txt" });
const before = resident();
for (let index = 1; index < Number(count); index++) await tools.call("file", { op: "load", path: `block${index}.txt` });
const after = resident();
const peak = process.resourceUsage().maxRSS / 1_024;
process.stdout.write(`${JSON.stringify({ before, after, peak })}\n`);
await tools.close();

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss / 2 ** 20;
}
