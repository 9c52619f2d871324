import { isSecretName } from "./secret-names.ts";
import type { SecretFinder, SecretSpan } from "./secret-span.ts";

const MIN_SECRET = 6;

/** Finds the values of secret variables and of the configuration, also as JSON, URLs, base64 and hex write them. */
export function knownSecretsFinder(
  env: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>>,
): SecretFinder {
  const secrets = knownSecrets(env, extra);
  return (text) => {
    const found: SecretSpan[] = [];
    for (const [value, name] of secrets) {
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length))
        found.push({ name, start: at, end: at + value.length });
    }
    return found;
  };
}

/** Values to look for and what they are called, longest first, so that none is cut by a part of it. */
function knownSecrets(
  env: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  const found = new Map<string, string>();
  const named = Object.entries(env).filter(([name, value]) => isSecretVariable(name) && isWorthHiding(value));
  for (const [name, value = ""] of [...named, ...Object.entries(extra)]) {
    if (value.length < MIN_SECRET) continue;
    const label = name.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, 60);
    for (const spelling of spellingsOf(value)) if (!found.has(spelling)) found.set(spelling, label);
  }
  return [...found].toSorted(([a], [b]) => b.length - a.length);
}

function isSecretVariable(name: string): boolean {
  return isSecretName(name) || /_(?:KEY|PAT|PASS)$/i.test(name);
}

/** A path or a plain word under a secret's name would take half of every text with it. */
function isWorthHiding(value: string | undefined): value is string {
  return value !== undefined && !value.startsWith("/") && !/^(?:[a-z]{1,8}|[A-Z]{1,8}|\d{1,6})$/.test(value);
}

function spellingsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const base64 = bytes.toString("base64").replace(/=+$/, "");
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    ...(bytes.length >= 8 ? [base64, base64.replaceAll("+", "-").replaceAll("/", "_"), bytes.toString("hex")] : []),
  ];
}
