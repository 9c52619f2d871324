/**
 * An application of its own: it mounts sources while running, registers and withdraws a tool, shows its catalog to three
 * kinds of model, and calls tools. Everything it says is asserted, so that it ends with an error when something is not so.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@ikigai/core";
import {
  createPolicy,
  createSourceManager,
  createToolRegistry,
  requireCapability,
  type StreamNotice,
  toAnthropicTools,
  toMcpTools,
  toOpenAiTools,
} from "@ikigai/core/host";
import { jsonSource } from "@ikigai/example-json-source";
import { tickerStream } from "@ikigai/example-ticker-stream";
import { z } from "zod";

const folder = await mkdtemp(join(tmpdir(), "embedding-"));

// Sources come and go while the application runs. Their permissions are a layer of the policy.
const sources = createSourceManager({ workspace: "notes", warn: (mount, message) => console.error(mount, message) });
const policy = createPolicy({ layers: [sources.policyLayer], mode: () => "edits" });
const registry = createToolRegistry({ policy, onDefect: (error) => console.error(error) });
registry.onChange(({ added, removed }) => console.log("tools:", { added, removed }));

await sources.mount({ mount: "notes", source: jsonSource, options: { file: join(folder, "notes.json") } });
await sources.mount({
  mount: "old",
  source: jsonSource,
  options: { file: join(folder, "old.json") },
  permission: "read_only",
});
await sources.mount({ mount: "ticker", source: tickerStream, options: { everyMs: 5 } });
for (const { mount, kind, state } of sources.status()) console.log("mounted:", mount, kind, state);

// A tool says what it will touch before it runs, so that the policy can judge it.
const remember = defineTool({
  name: "remember",
  description: "Keeps a text under a path. Returns its version.",
  input: z.object({ path: z.string().describe("Such as plan.md or old:///plan.md"), text: z.string() }),
  effects: ({ path }) => [{ action: "create", target: sources.route(path).uri }],
  async run({ path, text }, { signal }) {
    const route = sources.route(path);
    const { version } = await requireCapability(route, "write").write(route.address.path, text, {
      expected: null,
      signal,
    });
    return { version };
  },
});
const registration = registry.register([remember]);

// What is advertised is what is called: a catalog is a snapshot, in the form that a provider takes.
const catalog = registry.snapshot();
console.log("openai:", JSON.stringify(toOpenAiTools(catalog.cards)));
console.log("anthropic:", JSON.stringify(toAnthropicTools(catalog.cards)));
console.log("mcp:", JSON.stringify(toMcpTools(catalog.cards)));

// A call always gets an envelope, whatever happens.
async function call(text: string): Promise<string> {
  const envelope = await catalog.call({ name: "remember", arguments: text });
  console.log("call:", text, "→", JSON.stringify(envelope));
  return envelope.success ? "success" : envelope.code;
}
assert.equal(await call('{"path":"plan.md","text":"Ship it."}'), "success");
assert.equal(await call('{"path":"plan.md","text":"Ship it twice."}'), "conflict");
assert.equal(await call('{"path":"../plan.md","text":"Escape."}'), "permission_denied");
assert.equal(await call('{"path":"old:///plan.md","text":"Closed."}'), "permission_denied");
assert.equal(await call('{"path":"plan.md","text":'), "invalid_input");
assert.equal((await sources.route("notes:///plan.md").source.read("plan.md"))?.text, "Ship it.");

// Events are heard, and can be pulled later.
const { event } = await new Promise<StreamNotice>((resolve) => void sources.onEvent(resolve));
sources.pause("ticker");
console.log("heard:", event.text);
assert.ok(sources.pull("ticker").events.some(({ cursor }) => cursor === event.cursor));

// A withdrawn tool is gone for whoever asks now, and unavailable to whoever was offered it.
registration[Symbol.dispose]();
assert.equal(await call('{"path":"late.md","text":"Too late."}'), "unavailable");
await sources.unmount("ticker");
assert.deepEqual(
  sources.status().map(({ mount }) => mount),
  ["notes", "old"],
);
await sources.close();
await rm(folder, { recursive: true });
console.log("everything is as it should be");
