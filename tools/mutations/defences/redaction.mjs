// Defences of the one redactor, and of the places where it is asked.
const redactor = "packages/core/src/redact/redactor.test.ts";

/** @type {import("../defence.d.mts").Defence[]} */
export const redaction = [
  {
    name: "Secrets in addresses are found",
    file: "packages/core/src/redact/redactor.ts",
    old: "  findUrlSecrets,\n",
    new: "",
    test: redactor,
  },
  {
    name: "Keys of known providers are found",
    file: "packages/core/src/redact/redactor.ts",
    old: "  findProviderKeys,\n",
    new: "",
    test: redactor,
  },
  {
    name: "Secrets that are given to programs are found",
    file: "packages/core/src/redact/redactor.ts",
    old: "  findCommandSecrets,\n",
    new: "",
    test: redactor,
  },
  {
    name: "Secrets inside JSON strings are found",
    file: "packages/core/src/redact/redactor.ts",
    old: "redactJsonLiterals(before, (literal) => redactWith(finders, literal))",
    new: "before",
    test: redactor,
  },
  {
    name: "A stream holds back what may be half of a secret",
    file: "packages/core/src/redact/redaction-stream.ts",
    old: 'if (held.length < STEP + HELD) return "";',
    new: 'const all = redact(held); held = ""; return all;',
    test: "packages/core/src/redact/redaction-stream.test.ts",
  },
  {
    name: "A value is hidden by the name of its field",
    file: "packages/core/src/redact/redact-structure.ts",
    old: "isHidden(key, part) || isValueOfPair || isSecretData",
    new: "false",
    test: "packages/core/src/redact/redact-structure.test.ts",
  },
  {
    name: "A placeholder is no secret",
    file: "packages/core/src/redact/secret-values.ts",
    old: "if (isPlaceholder(value)) return false;",
    new: "",
    test: redactor,
  },
  {
    name: "No secret reaches the audit",
    file: "packages/memory/src/audit/audit.ts",
    old: "redactShort(createRedactor())",
    new: "(value: unknown) => value",
    test: "packages/memory/src/audit/audit.test.ts",
  },
  {
    name: "No secret is complained about at the terminal",
    file: "apps/cli/src/terminal/terminal.ts",
    old: "`ikigai: ${withoutSecrets(line)}`",
    new: "`ikigai: ${line}`",
    test: "apps/cli/src/redacted-messages.test.ts",
  },
];
