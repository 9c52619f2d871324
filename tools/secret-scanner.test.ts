import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";
import { createRedactor } from "@ikigai/core/redact";
import { expect, test } from "vitest";
import { INNOCENT_TEXTS } from "../packages/core/src/redact/innocent-corpus.test.helper.ts";
import { letters, SECRET_SHAPE_CASES, upper } from "../packages/core/src/redact/secret-corpus.test.helper.ts";

/** What a public scanner for secrets finds in a text, with its recommended rules. */
async function scan(text: string): Promise<readonly string[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: "output.txt", ext: ".txt", contentType: "text" },
    options: { config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator }] } },
  });
  // It knows an address with a password by its form, also when a marker stands for the password.
  return messages
    .filter(({ range: [start, end] }) => !text.slice(start, end).includes("[redacted"))
    .map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

const { redact } = createRedactor({ env: {} });
/** Shapes in the scanner's own words, beside those of our corpus. */
const ITS_SHAPES = [
  `AWS_ACCESS_KEY_ID=AKIA${upper(16)}`,
  `aws_secret_access_key = ${letters(40)}`,
  `xoxb-123456789012-1234567890123-${letters(24)}`,
  `https://ann:${letters(12)}@host.example/`,
  `//registry.npmjs.org/:_authToken=npm_${letters(36)}`,
  `SG.${letters(22)}.${letters(43)}`,
  `ghp_${letters(36)}`,
  `sk-ant-api03-${letters(93)}AA`,
  `hf_${letters(34)}`,
  `shpat_${"0a1b2c3d".repeat(4)}`,
];

test("a public scanner finds nothing in what was redacted, of all that it finds before", async () => {
  const texts = [...SECRET_SHAPE_CASES.map(({ text }) => text), ...ITS_SHAPES];
  let seen = 0;
  for (const text of texts) {
    if ((await scan(text)).length === 0) continue;
    seen++;
    expect(await scan(redact(text)), text).toEqual([]);
  }
  // It knows the keys of providers and little else, but it does know those.
  expect(seen).toBeGreaterThan(15);
});

test("a public scanner agrees that the innocent texts are innocent", async () => {
  const found = await Promise.all(INNOCENT_TEXTS.map(async (text) => ((await scan(text)).length > 0 ? [text] : [])));
  expect(found.flat()).toEqual([]);
});
