import { classifyName, isSecretName } from "./secret-names.ts";
import { isMarker } from "./secret-span.ts";
import { isPlaceholder, looksRandom } from "./secret-values.ts";

/** Takes the secrets out of a text. */
type RedactText = (text: string) => string;

const NAME_FIELD = /(?:^|[a-z_-])(?:name|key|id|field|header|variable|param)$/i;
const VALUE_FIELD = /(?:^|[a-z_-])value$/i;
const OPTION = /^--?([A-Za-z][\w.-]{0,63})$/;
/** Deeper than this nothing is shown, since nothing can be looked at. */
const DEEPEST = 200;
/** Lists of texts up to this many are also looked at as the command that they may be. */
const LONGEST_COMMAND = 1_000;

/**
 * A copy of a plain JSON value without its secrets: texts are redacted as texts, and a value is hidden whole when its field
 * has a secret's name, when it follows an option such as `--password` in a list, or when it is the value of such a name.
 */
export function redactStructure(value: unknown, redact: RedactText, depth = 0): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) return "[redacted:too-deep]";
  if (Array.isArray(value)) return redactList(value, redact, depth);
  return redactFields(Object.entries(value), redact, depth);
}

function redactList(list: readonly unknown[], redact: RedactText, depth: number): readonly unknown[] {
  const each = list.map((item, index) => {
    const previous: unknown = list[index - 1];
    const option = typeof previous === "string" ? OPTION.exec(previous)?.[1] : undefined;
    if (typeof item !== "string") return redactStructure(item, redact, depth + 1);
    return isArgumentOf(option, item) ? hide(redact(item)) : redact(item);
  });
  const isCommand = list.length > 1 && list.length <= LONGEST_COMMAND && each.every((item) => typeof item === "string");
  return isCommand ? redactCommand(each, redact) : each;
}

/** Together the words of a command say more than each alone: `curl`, `-u`, `ann:secret`. */
function redactCommand(words: readonly unknown[], redact: RedactText): readonly unknown[] {
  const json = JSON.stringify(words);
  const redacted = redact(json);
  if (redacted === json) return words;
  try {
    const whole: unknown = JSON.parse(redacted);
    if (Array.isArray(whole) && whole.length === words.length) return whole;
  } catch {
    // The redacted span went beyond the end of the word.
  }
  return words.map(() => "[redacted]");
}

function isArgumentOf(option: string | undefined, item: string): boolean {
  if (option === undefined || item === "" || item.startsWith("-")) return false;
  return isSecretName(option) && !isPlaceholder(item);
}

function redactFields(fields: readonly (readonly [string, unknown])[], redact: RedactText, depth: number): object {
  const named = fields.find(
    ([key, part]) => NAME_FIELD.test(key) && typeof part === "string" && isSecretName(lastWord(part)),
  );
  const isSecret = fields.some(([key, part]) => key === "kind" && part === "Secret");
  return Object.fromEntries(
    fields.map(([key, part]) => {
      const isValueOfPair = named !== undefined && VALUE_FIELD.test(key) && isHidden(lastWord(String(named[1])), part);
      const isSecretData = isSecret && /^(?:data|stringData)$/.test(key);
      const hidden = isHidden(key, part) || isValueOfPair || isSecretData;
      return [redact(key), hidden ? hideParts(part, redact) : redactStructure(part, redact, depth + 1)];
    }),
  );
}

/** Of a name with a path before it, such as that of a parameter, the last word. */
function lastWord(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Whether the value of a field is a secret by the field's name. */
function isHidden(name: string, part: unknown): boolean {
  const kind = classifyName(name);
  if (kind === undefined) return false;
  if (Array.isArray(part)) return kind === "password" && part.every((item) => typeof item === "string");
  if (typeof part === "number") return kind === "password" && part >= 1_000;
  if (typeof part !== "string" || part === "") return false;
  return kind !== "weak" || (part.length >= 16 && looksRandom(part));
}

function hideParts(part: unknown, redact: RedactText): unknown {
  if (Array.isArray(part)) return part.map((item) => hideParts(item, redact));
  if (typeof part === "object" && part !== null)
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [redact(key), hide(redact(String(value)))]));
  return part === "" ? part : hide(redact(String(part)));
}

function hide(redacted: string): string {
  return isMarker(redacted) ? redacted : "[redacted]";
}
