import { findBearerTokens } from "./bearer-tokens.ts";
import { findCommandSecrets } from "./command-secrets.ts";
import { redactJsonLiterals } from "./json-literals.ts";
import { knownSecretsFinder } from "./known-secrets.ts";
import { findKubernetesSecrets } from "./kubernetes-secrets.ts";
import { findNamedValues } from "./named-values.ts";
import { findPrivateKeys } from "./private-keys.ts";
import { findProviderKeys } from "./provider-keys.ts";
import { redactionStream, type RedactionStream } from "./redaction-stream.ts";
import { redactStructure } from "./redact-structure.ts";
import { markerOf, mergeSpans, type SecretFinder } from "./secret-span.ts";
import { findUrlSecrets } from "./url-secrets.ts";

export interface RedactorOptions {
  /** Variables whose values are secrets when their names say so. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further secrets, such as those of the configuration, by a name for each. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** Takes secrets out of what is written down. */
export interface Redactor {
  /** Contract: never throws; takes time in proportion to the text; what it gives back it leaves as it is. */
  redact(text: string): string;
  /** Every text inside a plain JSON value, and every value whose field, option or pair has a secret's name. */
  redactValue(value: unknown): unknown;
  /** A redactor for a text that comes in pieces, wherever they are cut. */
  stream(): RedactionStream;
}

/** Enough for secrets that are glued to each other: what stood beside one is seen only when that is gone. */
const MAX_PASSES = 10;
const SHORT = 200;
const MAX_KNOWN = 1_000;
const FINDERS: readonly SecretFinder[] = [
  findPrivateKeys,
  findProviderKeys,
  findUrlSecrets,
  findBearerTokens,
  findNamedValues,
  findCommandSecrets,
  findKubernetesSecrets,
];

/**
 * Knows secrets by value (of the environment and the configuration, also as JSON, URL or base64 writes them), by shape
 * (keys and tokens of well-known services, private keys, passwords in URLs) and by the name they are given to, in JSON,
 * YAML, XML, headers, queries, files of settings, code and command lines.
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const finders = [knownSecretsFinder(options.env ?? process.env, options.extra ?? {}), ...FINDERS];

  /** Results of short texts, kept because names of fields and of rules come again with every row. */
  const known = new Map<string, string>();

  function redact(text: string): string {
    if (text.length > SHORT) return redactWith(finders, text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const redacted = redactWith(finders, text);
    if (known.size === MAX_KNOWN) known.clear();
    known.set(text, redacted);
    return redacted;
  }

  return {
    redact,
    redactValue: (value) => redactStructure(value, redact),
    stream: () => redactionStream((text) => findSecrets(finders, text), redact),
  };
}

function redactWith(finders: readonly SecretFinder[], text: string): string {
  let result = text;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = result;
    const said = redactJsonLiterals(before, (literal) => redactWith(finders, literal));
    result = cut(said, findSecrets(finders, said));
    if (result === before) break;
  }
  return result;
}

function findSecrets(finders: readonly SecretFinder[], text: string): ReturnType<typeof mergeSpans> {
  return mergeSpans(
    text,
    finders.flatMap((find) => find(text)),
  );
}

function cut(text: string, spans: ReturnType<typeof mergeSpans>): string {
  let result = "";
  let from = 0;
  for (const span of spans) {
    result += text.slice(from, span.start) + markerOf(span);
    from = span.end;
  }
  return result + text.slice(from);
}
