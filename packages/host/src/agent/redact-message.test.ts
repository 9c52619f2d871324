import { createRedactor } from "@ikigai/permission";
import { expect, test } from "vitest";
import { redactMessage } from "./redact-message.ts";

test("no secret of a message is kept, and JSON stays JSON", () => {
  const redactor = createRedactor({ env: { DEPLOY_PASSWORD: 'tr0ub4dor"&3' } });
  const at = new Date(0).toISOString();
  const secret = 'tr0ub4dor"&3';
  const kept = [
    redactMessage({ role: "user", id: "1", at, text: `use ${secret}` }, redactor),
    redactMessage({ role: "event", id: "2", at, text: "password=hunter22" }, redactor),
    redactMessage(
      {
        role: "assistant",
        id: "3",
        at,
        text: `I use ${secret}`,
        calls: [
          { id: "c", name: "bash", arguments: JSON.stringify({ command: `login ${secret}` }) },
          { id: "d", name: "bash", arguments: "{not json, password=hunter22" },
        ],
      },
      redactor,
    ),
    redactMessage(
      {
        role: "tool",
        id: "4",
        at,
        callId: "c",
        name: "bash",
        envelope: JSON.stringify({ success: true, data: secret }),
      },
      redactor,
    ),
  ];
  expect(JSON.stringify(kept)).not.toMatch(/tr0ub4dor|hunter22/);
  expect(kept.map(({ id }) => id)).toEqual(["1", "2", "3", "4"]);
  const [, , assistant, tool] = kept;
  expect(assistant?.role === "assistant" && JSON.parse(assistant.calls[0]?.arguments ?? "")).toHaveProperty("command");
  expect(tool?.role === "tool" && JSON.parse(tool.envelope)).toMatchObject({ success: true });
});
