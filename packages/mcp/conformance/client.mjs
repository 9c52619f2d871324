// The client that the official conformance suite starts, with the address of its server: mounts it and uses all it has.
import { createPolicy, createSourceManager, createToolRegistry } from "@ikigai/core/host";
import { foreignPrompts, mcpResources, mountMcpServer } from "@ikigai/mcp";

const url = process.argv.at(-1);
const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
const warn = (message) => process.stderr.write(`${message}\n`);
const server = await mountMcpServer({ name: "suite", server: { url }, registry, warn, passesForms: true });
const sources = createSourceManager();
await sources.mount({ mount: "suite", source: mcpResources(server) });

for (const { name, inputSchema } of registry.snapshot().cards) {
  const args = Object.fromEntries(
    Object.entries(inputSchema.properties ?? {}).map(([key, { type }]) => [key, sample(type)]),
  );
  // An answer that fills in nothing: what has a default gets it.
  const onForm = async () => ({ action: "accept", content: {} });
  const envelope = await registry.call({ name, arguments: args }, { onForm });
  process.stdout.write(`${name}: ${JSON.stringify(envelope)}\n`);
}
for (const { name } of await foreignPrompts(server)) process.stdout.write(`prompt ${name}\n`);
const { state, error } = server.status();
await sources.close();
await server.close();
if (state !== "ready") {
  warn(error ?? state);
  process.exitCode = 1;
}

function sample(type) {
  return { number: 2, integer: 2, boolean: true, array: [], object: {} }[type] ?? "text";
}
