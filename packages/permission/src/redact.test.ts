import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

const letters = (count: number): string => "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z".repeat(20).slice(0, count);
const hex = (count: number): string => "0a1b2c3d4e5f6789".repeat(10).slice(0, count);
const upper = (count: number): string => "Q7W3E9R1T5Y2U8I4".repeat(10).slice(0, count);
const JWT = `eyJhbGciOiJIUzI1NiJ9.${letters(40)}.${letters(43)}`;

/** What is planted in a text, and what of it must not remain. */
const PLANTED: readonly (readonly [string, string])[] = [
  [`aws_access_key_id = AKIA${upper(16)}`, `AKIA${upper(16)}`],
  [`ASIA${upper(16)} is temporary`, `ASIA${upper(16)}`],
  [`aws_secret_access_key = ${letters(40)}`, letters(40)],
  [`remote https://ghp_${letters(36)}@github.com/a/b`, `ghp_${letters(36)}`],
  [`"github_pat_${letters(22)}_${letters(59)}"`, letters(59)],
  [`gho_${letters(36)}`, letters(36)],
  [`ghs_${letters(36)}`, letters(36)],
  [`glpat-${letters(20)}`, letters(20)],
  [`xoxb-123456789012-${letters(24)}`, letters(24)],
  [`xapp-1-A01-${letters(40)}`, letters(40)],
  [`https://hooks.slack.com/services/T00000000/B00000000/${letters(24)}`, letters(24)],
  [`https://discord.com/api/webhooks/123456789012345678/${letters(68)}`, letters(68)],
  [`OPENAI sk-${letters(48)}`, letters(48)],
  [`sk-proj-${letters(60)}`, letters(60)],
  [`sk-ant-api03-${letters(80)}`, letters(80)],
  [`sk_live_${letters(24)}`, letters(24)],
  [`whsec_${letters(32)}`, letters(32)],
  [`AIza${letters(35)}`, letters(35)],
  [`ya29.${letters(60)}`, letters(60)],
  [`GOCSPX-${letters(28)}`, letters(28)],
  [`//registry/:_authToken=npm_${letters(36)}`, letters(36)],
  [`pypi-${letters(80)}`, letters(80)],
  [`hf_${letters(34)}`, letters(34)],
  [`dop_v1_${hex(64)}`, hex(64)],
  [`SG.${letters(22)}.${letters(43)}`, letters(43)],
  [`SK${hex(32)}`, hex(32)],
  [`shpat_${hex(32)}`, hex(32)],
  [`dapi${hex(32)}`, hex(32)],
  [`hvs.${letters(24)}`, letters(24)],
  [`123456789:AA${letters(33)}`, letters(33)],
  [`cookie: ${JWT}`, JWT],
  [`Authorization: Bearer ${letters(30)}`, letters(30)],
  [`authorization: basic ${letters(24)}==`, letters(24)],
  ["postgres://app:hunter2@db/x", "hunter2"],
  ["redis://:s3cr3t@cache:6379", "s3cr3t"],
  ["password=hunter2", "hunter2"],
  ["db_password: 'correct horse battery staple'", "correct horse"],
  ['{"password":"hunter2 \u00e9"}', "hunter2"],
  [`secret: ${letters(600)}`, letters(600).slice(500)],
  [`client_secret = "${letters(12)}"`, letters(12)],
  [`X-Api-Key: ${letters(20)}`, letters(20)],
  [`session_id=${letters(26)}; Path=/`, letters(26)],
  [`-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n-----END RSA PRIVATE KEY-----`, letters(64)],
  [`-----BEGIN OPENSSH PRIVATE KEY-----\n${letters(64)}\ncut`, letters(64)],
  ["mysql -u root -pS3cret! shop", "S3cret!"],
  ["mysqldump --host db -p'S3cret!' shop", "S3cret!"],
  ["mysql --password=hunter2 shop", "hunter2"],
  ["gpg --batch --passphrase hunter2 -d x", "hunter2"],
  ["curl -s -u ann:hunter2 https://x", "hunter2"],
  ['curl --user "ann:hunter2" https://x', "hunter2"],
  ["curl -x http://ann:hunter2@proxy:3128 https://x", "hunter2"],
  [`curl -H "Authorization: Bearer ${letters(30)}" https://x`, letters(30)],
  ["psql postgres://u:hunter2@h/db", "hunter2"],
  ["PGPASSWORD=hunter2 psql -h db", "hunter2"],
  ["MYSQL_PWD=hunter2 mysql", "hunter2"],
  ['psql "host=db user=u password=hunter2"', "hunter2"],
  ["db.example.com:5432:shop:ann:hunter2", "hunter2"],
  ["machine github.com login ann password hunter2", "hunter2"],
  ["sshpass -p hunter2 ssh ann@host", "hunter2"],
  ["docker login -u ann -p hunter2 registry", "hunter2"],
  ["redis-cli -h cache -a hunter2 ping", "hunter2"],
  ["openssl enc -pass pass:hunter2 -in x", "hunter2"],
  [`aws_session_token=${letters(200)}`, letters(200)],
  ["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz", "wJalrXUtnFEMI"],
  [`{"private_key":"-----BEGIN PRIVATE KEY-----\\n${letters(64)}\\n-----END PRIVATE KEY-----"}`, letters(64)],
  ["from the environment: tr0ub4dor&3", "tr0ub4dor"],
  [`as JSON: ${JSON.stringify('quo"ted secret')}`, 'quo\\"ted'],
  [`in a URL: ${encodeURIComponent("tr0ub4dor&3")}`, "tr0ub4dor"],
  [`in base64: ${Buffer.from("tr0ub4dor&3").toString("base64")}`, "dHIwdWI0ZG9y"],
  ["from the configuration: blue-monday", "blue-monday"],
];

const redactor = createRedactor({
  env: {
    DEPLOY_PASSWORD: "tr0ub4dor&3",
    MY_TOKEN: 'quo"ted secret',
    HOME: "/home/me",
    AUTH_TOKEN: "/run/token",
    X_KEY: "no",
  },
  extra: { provider: "blue-monday", short: "abc" },
});

test("takes every planted secret out of texts and values", () => {
  expect(PLANTED.length).toBeGreaterThanOrEqual(40);
  const text = PLANTED.map(([line]) => `before ${line} after`);
  const left = PLANTED.filter(([, secret], index) => {
    const inText = redactor.redact(text[index] as string);
    const inValue = JSON.stringify(redactor.redactValue({ error: [text[index]] }));
    return inText.includes(secret) || inValue.includes(secret);
  });
  expect(left).toEqual([]);
  const lines = PLANTED.map(([line]) => line);
  const whole = redactor.redact(text.join("\n")) + redactor.redact(JSON.stringify(lines.join("\n")));
  expect(PLANTED.filter(([, secret]) => whole.includes(secret))).toEqual([]);
});

test.each([
  "password: string;",
  "const token = process.env.TOKEN;",
  "password=$PASSWORD token=${TOKEN}",
  "max_tokens: 4096, tokens=12",
  "auth::verify_token_v2(x)",
  "if (token == expected_value_1) return",
  "PWD=/home/me/project",
  "the secret: a short walk",
  "https://example.com:8080/a@b",
  "/run/token and abc and no and /home/me",
  "sha256:0a1b2c3d4e5f6789",
  "docker run -u 1000:1000 -p 8080:80 nginx",
  "mkdir -p src/mysql && mysql -u root -p shop",
  "the --password option and the --token flag",
  "12:30:45:67:89 and a:b:c:d:e",
  "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
])("leaves %j alone", (text) => {
  expect(redactor.redact(text)).toBe(text);
});

test("says what it took out, and keeps what stands around it", () => {
  expect(redactor.redact("psql postgres://app:hunter2@db/x")).toBe("psql postgres://app:[redacted:url-password]@db/x");
  expect(redactor.redact('{"password":"hunter2","a":1}')).toBe('{"password":"[redacted]","a":1}');
  expect(redactor.redact("use tr0ub4dor&3 here")).toBe("use [redacted:DEPLOY_PASSWORD] here");
});

test("hides the value of a field with a secret's name, and keeps the form of a value", () => {
  expect(
    redactor.redactValue({ password: "abc", token: "", n: 1, list: [null, true, { api_key: "tr0ub4dor&3" }] }),
  ).toEqual({
    password: "[redacted]",
    token: "",
    n: 1,
    list: [null, true, { api_key: "[redacted:DEPLOY_PASSWORD]" }],
  });
});

test("uses the environment of the process unless told otherwise", () => {
  process.env["IKIGAI_TEST_TOKEN"] = "from-the-process-1";
  try {
    expect(createRedactor().redact("from-the-process-1")).toBe("[redacted:IKIGAI_TEST_TOKEN]");
  } finally {
    delete process.env["IKIGAI_TEST_TOKEN"];
  }
});

test("changes nothing more the second time", () => {
  const line = fc.constantFrom(
    ...PLANTED.map(([text]) => text),
    "password",
    "=",
    ":",
    '"',
    "[redacted",
    "]",
    " ",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string())), (parts) => {
      const once = redactor.redact(parts.join(""));
      expect(redactor.redact(once)).toBe(once);
    }),
  );
});

test.each([
  "eyJ",
  "eyJaaaaaaaa.",
  "a://",
  "a://b:",
  "password=",
  "token:",
  "-----BEGIN RSA PRIVATE KEY-----",
  "-----BEGIN A ",
  "sk-",
  "bearer ",
  "=",
  "AKIA",
  "1234567890:AA",
])("much of %j is read once", (piece) => {
  const text = piece.repeat(Math.ceil(300_000 / piece.length));
  expect(redactor.redact(text).length).toBeGreaterThan(0);
});

test("what was seen before is redacted as the first time, however much came between", () => {
  const { redact } = createRedactor({ env: { API_TOKEN: "hunter2hunter2" } });
  const first = redact("it is hunter2hunter2");
  for (let number = 0; number < 2_500; number++) expect(redact(`field ${number}`)).toBe(`field ${number}`);
  expect(redact("it is hunter2hunter2")).toBe(first);
  expect(redact("it is hunter2hunter2")).toBe("it is [redacted:API_TOKEN]");
});
