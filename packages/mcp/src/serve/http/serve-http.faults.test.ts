import { expect, test } from "vitest";
import { fixtureRegistry } from "../../../fixtures/registry.mjs";
import { connectHttp, ERAS } from "../../testing/harness.ts";
import { createMcpServer } from "../mcp-server.ts";
import { serveHttp } from "./serve-http.ts";

test.each(ERAS)(
  "1,000 calls at once of the official client are all answered in %s",
  async (era) => {
    const { registry, state } = fixtureRegistry();
    const mcp = createMcpServer({ registry });
    const serving = await serveHttp(mcp);
    const client = await connectHttp(serving, { era });
    const calls = Array.from({ length: 1_000 }, (_, index) =>
      client.callTool({ name: "set_value", arguments: { key: `k${index}`, value: "v" } }),
    );
    const results = await Promise.all(calls);
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(1_000);
    expect(state.values.size).toBe(1_000);
    await client.close();
    await serving.close();
    mcp.close();
  },
  180_000,
);

test("1,000 sessions come and go where ten fit, and the next is served", async () => {
  const { registry } = fixtureRegistry();
  const mcp = createMcpServer({ registry });
  const serving = await serveHttp(mcp, { maxSessions: 10 });
  for (let index = 0; index < 1_000; index++) {
    const client = await connectHttp(serving);
    await client.close();
  }
  const client = await connectHttp(serving);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
  await serving.close();
  mcp.close();
}, 180_000);
