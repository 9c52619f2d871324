import type { SecretSpan } from "./secret-span.ts";
import { isPlaceholder, looksRandom } from "./secret-values.ts";

const NAME = "url-password";
const LONGEST = 512;
const SCHEME = /(?:^|[^A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,20})$/;
const ENCODED_SCHEME = /[A-Za-z][A-Za-z0-9+.-]{0,20}$/;
const URL_END = /[\s"'`<>\\|]|$/;
/** Users that services want beside a token. */
const PLAIN_USER = /^[a-z][a-z._-]{0,15}$/;

/** The parts of an address before its host: passwords, and tokens that stand where a user would. */
export function findUrlSecrets(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  for (let at = text.indexOf("://"), next = at; at !== -1; at = next) {
    next = text.indexOf("://", at + 3);
    const scheme = SCHEME.exec(text.slice(Math.max(0, at - 22), at))?.[1];
    if (scheme === undefined) continue;
    const from = at + 3;
    const window = text.slice(from, Math.min(from + LONGEST, next === -1 ? text.length : next));
    const user = userPart(window.slice(0, window.search(URL_END)), "@", ":", /[/?#]/);
    if (user !== undefined) addUserPart(found, scheme, user, from, ":");
  }
  for (const { index, 0: sign } of text.matchAll(/%3A%2F%2F/gi)) {
    const scheme = ENCODED_SCHEME.exec(text.slice(Math.max(0, index - 21), index))?.[0];
    if (scheme === undefined) continue;
    const from = index + sign.length;
    const window = text.slice(from, from + LONGEST).replaceAll(/%3a/g, "%3A");
    const user = userPart(window.slice(0, window.search(/[\s"'`<>\\|&]|$/)), "%40", "%3A", /%2F|%3F|%23/i);
    if (user !== undefined) addUserPart(found, scheme, user, from, "%3A");
  }
  for (const { index, 0: whole, groups } of text.matchAll(
    /(?:jdbc:oracle:[a-z]{2,8}:|sqlplus[ \t]{1,4})[\w.$-]{1,64}\/(?<secret>[^\s@"'/]{1,128})@/g,
  )) {
    const { secret = "" } = groups ?? {};
    if (!isPlaceholder(secret))
      found.push({ name: NAME, start: index + whole.length - 1 - secret.length, end: index + whole.length - 1 });
  }
  return found;
}

/** What stands before the host. A password may hold signs that should have been encoded. */
function userPart(address: string, at: string, colon: string, hostEnd: RegExp): string | undefined {
  const ends = address.search(hostEnd);
  const authority = ends === -1 ? address : address.slice(0, ends);
  const sign = authority.lastIndexOf(at);
  const parts = authority.slice(0, sign === -1 ? undefined : sign).split(colon);
  if (parts.length > 1 && !/^\d{1,5}$/.test(parts.slice(1).join(colon)) && ends !== -1) {
    const path = address.slice(0, Math.max(address.search(/[?#]/), 0) || address.length);
    const later = path.lastIndexOf(at);
    if (later > sign) return path.slice(0, later);
  }
  return sign === -1 ? undefined : authority.slice(0, sign);
}

function addUserPart(found: SecretSpan[], scheme: string, user: string, from: number, colon: string): void {
  const sign = user.indexOf(colon);
  const name = sign === -1 ? user : user.slice(0, sign);
  const password = sign === -1 ? "" : user.slice(sign + colon.length);
  if (password !== "" && !isPlaceholder(password))
    found.push({ name: NAME, start: from + sign + colon.length, end: from + user.length });
  const isWeb = /^(?:https?|wss?)$/i.test(scheme);
  const isToken =
    sign === -1 && isWeb
      ? !PLAIN_USER.test(name) && !/%40/.test(name) && !isPlaceholder(name)
      : name.length >= (password === "" ? 12 : 20) && looksRandom(name);
  if (isToken && name !== "") found.push({ name: "url-token", start: from, end: from + name.length });
}
