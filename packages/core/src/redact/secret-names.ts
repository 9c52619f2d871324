/**
 * How much a name says of its value.
 *
 * - `password`: a secret whatever it looks like.
 * - `strong`: a key or token of somebody; a secret unless it is a placeholder.
 * - `key`: a secret when it looks like one, or stands where only a value can stand.
 * - `weak`: a secret only when it looks random.
 */
export type NameClass = "password" | "strong" | "key" | "weak";

/** Found in every name below; each hit is widened to the whole name and judged. */
export const NAME_KEYWORDS: RegExp =
  /pass|pwd|secret|credential|token|key|auth|cookie|session|sess|psk|rootpw|bindpw|sas|dsn|sid|sig|code|totp/gi;

const PASSWORD =
  /(?:passw(?:or)?d|passphrase|passcode|pwd|secret|credential)s?(?:[_-]?(?:value|text|string|base))?[_-]?\d{0,2}$|private[_-]?key$|(?:^|[_.-])pass\d?$|(?:^|[_-])(?:psk|pw)$|(?:store|key|require|user|db|root|admin|smtp|mysql|pg)pass$|(?:root|bind|admin|user)pw$/i;
const CAMEL_PASS = /[a-z0-9]Pass\d?$/;
const STRONG =
  /(?:access|refresh|id|auth|oauth|bearer|session|security|api|bot|private|deploy|personal|github|gitlab|npm|slack|vault|app|user|client|service|signing|webhook)[_-]?token$|(?:api|secret|access|secret[_-]?access|account|subscription|signing|encryption|auth|master|shared[_-]?access|hmac|cipher)[_-]?key$|(?:^|[:/_.-])_auth$|secret[_-]?key[_-]?base$|oauth2?-bearer$|masterauth$|api[_-]?secret$/i;
const KEY = /token$|(?:^|[_.-])auth$|authorization$|cookie$|session[_-]?id$|sessid$|(?:^|[_.-])(?:sas|dsn)$/i;
const KEY_VARIABLE = /^[A-Z0-9_]*_(?:KEY|PAT)$/;
const WEAK = /^(?:key|sig|signature|code|sid|session|x-amz-signature|x-amz-credential)$|[._-]sid$|[a-z-]signature$/i;
const HARMLESS = /^(?:public|primary|foreign|sort|partition|cache|host|object)[_-]?key$|csrf|xsrf/i;

/** What a name says of its value. Contract: `undefined` for a name that says nothing. */
export function classifyName(name: string): NameClass | undefined {
  if (PASSWORD.test(name) || CAMEL_PASS.test(name)) return "password";
  if (STRONG.test(name)) return "strong";
  if (HARMLESS.test(name)) return undefined;
  if (KEY.test(name) || KEY_VARIABLE.test(name)) return "key";
  return WEAK.test(name) ? "weak" : undefined;
}

/** Whether a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const kind = classifyName(name);
  return kind !== undefined && kind !== "weak";
}
