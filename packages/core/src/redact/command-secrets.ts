import type { SecretSpan } from "./secret-span.ts";
import { isPlaceholder } from "./secret-values.ts";

/** Programs that take a password in an option of their own, and how. */
interface PasswordOption {
  readonly program: RegExp;
  readonly patterns: readonly RegExp[];
}

const NAME = "password-option";
const LONGEST_COMMAND = 400;
/** Between two arguments: blanks, or what separates the items of a list. */
const GAP = String.raw`(?:[ \t]{1,4}|\\{0,7}["'],[ \t]{0,4}\\{0,7}["'])`;
const GIVEN = String.raw`[\\"']{0,8}(?!-)(?<secret>[^\s"'\\]{1,256})`;

function options(program: string, ...flags: readonly string[]): PasswordOption {
  return {
    program: new RegExp(`^(?:${program})$`),
    patterns: flags.map((flag) => new RegExp(`${GAP}${flag}${GIVEN}`, "dg")),
  };
}

const USER = `[\\\\"']{0,8}[^\\s:"'\\\\]{1,128}:`;
const OPTIONS: readonly PasswordOption[] = [
  options("mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|mariadb-dump", "-p(?![ \\t])"),
  options("sshpass|docker login|podman login|helm|az|mongo|mongosh|mongodump|twine", `-p(?:${GAP})?`),
  options("redis-cli", `-a${GAP}`),
  options("ldapsearch|ldapmodify|ldapadd", `-w(?:${GAP})?`),
  options("curl|wget|http|https", `(?:-u|--user|-U|--proxy-user|-a|--auth)(?:${GAP}|=)?${USER}`),
  options("openssl", `-?(?:passin|passout|k|pass)${GAP}(?:pass:)?`),
  options("smbclient|net|mount[.]cifs", `-U(?:${GAP})?[^\\s%"']{1,128}%`),
  options("zip|unzip", `-P(?:${GAP})?`),
  options("7z|7za|7zz", "-p(?![ \\t])"),
  options("htpasswd", `-[a-zA-Z]*b[a-zA-Z]*${GAP}[^\\s]{1,128}${GAP}[^\\s]{1,128}${GAP}`),
  options("vault login", `(?:-[\\w=-]{1,40}${GAP}){0,4}(?=[^\\s]{0,64}[0-9])`),
  options("gh secret", `(?:--body|-b)(?:${GAP}|=)`),
];
const PROGRAM =
  /(?<![A-Za-z0-9_.@-])(?:mysql[a-z]{0,6}|mariadb(?:-dump)?|sshpass|(?:docker|podman|vault)[ \t]login|gh[ \t]secret|helm|az|mongo(?:sh|dump)?|twine|redis-cli|ldap(?:search|modify|add)|curl|wget|https?|openssl|smbclient|net|mount\.cifs|zip|unzip|7z[az]?|htpasswd)(?![A-Za-z0-9_:.-])/g;

/** Written in one line, but by no option of a program. */
const LINES: readonly RegExp[] = [
  /\becho[ \t]{1,4}(?:-n[ \t]{1,4})?["']?(?<secret>[^\s"'|$]{1,256})["']?[ \t]{0,4}\|[^\n|]{0,200}--password-stdin/dg,
  /\becho[ \t]{1,4}["']?[\w.-]{1,64}:(?<secret>[^\s"'|$]{1,256})["']?[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?chpasswd/dg,
  /--from-literal[= ]["']?[\w.-]{1,64}=(?<secret>[^\s"']{1,256})/dg,
  /ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?["'](?<secret>[^"'\n]{1,256})["']/dgi,
  /\bidentified[ \t]{1,4}(?:with[ \t]{1,4}\w{1,40}[ \t]{1,4})?by[ \t]{1,4}(?:password[ \t]{1,4})?'(?<secret>[^'\n]{1,256})'/dgi,
  /\bset[ \t]{1,4}password[ \t]{1,4}for[ \t]{1,4}[^=\n]{1,128}=[ \t]{0,4}'(?<secret>[^'\n]{1,256})'/dgi,
  /\bpragma[ \t]{1,4}(?:re)?key[ \t]{0,4}=[ \t]{0,4}'(?<secret>[^'\n]{1,256})'/dgi,
  /login[ \t\n]{1,8}\S{1,128}[ \t\n]{1,8}password[ \t\n]{1,8}(?<secret>\S{1,256})/dg,
  /(?<![\w.*:-])[\w.*-]{1,128}:(?:\d{4,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(?<secret>[^\s:"'\\]{1,256})/dg,
  /<input\b(?=[^<>]{0,300}type=["']password["'])[^<>]{0,300}\bvalue=["'](?<secret>[^"'<>\n]{1,256})["']/dgi,
  /variable[ \t]{1,4}"[\w-]{0,60}(?:password|secret|token|_key)"[ \t]{0,4}\{[^{}]{0,400}?default[ \t]{0,8}=[ \t]{0,8}"(?<secret>[^"\n]{1,256})"/dgi,
  /\b(?:api|access|secret|private)[ \t-]key[ \t]{1,4}(?:is|was|provided)?[ \t:]{0,4}["']?(?<secret>(?=[A-Za-z_+/-]{0,64}[0-9])[A-Za-z0-9_+/=-]{12,256})/dgi,
];

/** Passwords on command lines, in SQL, and in files where they stand by their place in a line. */
export function findCommandSecrets(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  const hits = [...text.matchAll(PROGRAM)];
  for (const [number, { index, 0: program }] of hits.entries()) {
    const from = index + program.length;
    const next = hits[number + 1]?.index ?? text.length;
    const command = text.slice(from, Math.min(next, from + LONGEST_COMMAND));
    const line = command.search(/[\n;|]/);
    const known = OPTIONS.find((one) => one.program.test(program.replace(/[ \t]/, " ")));
    for (const pattern of known?.patterns ?? [])
      addMatches(found, line === -1 ? command : command.slice(0, line), pattern, from);
  }
  for (const pattern of LINES) addMatches(found, text, pattern, 0);
  return found;
}

function addMatches(found: SecretSpan[], text: string, pattern: RegExp, offset: number): void {
  for (const match of text.matchAll(pattern)) {
    const [start, end] = match.indices?.groups?.["secret"] ?? [0, 0];
    if (!isPlaceholder(text.slice(start, end))) found.push({ name: NAME, start: start + offset, end: end + offset });
  }
}
