/** A kind of secret that is known by its form. */
export interface SecretShape {
  readonly name: string;
  /**
   * Global. Begins with letters that are rarely met or at the beginning of a run of its own characters, and is bounded,
   * so that each place of a text is looked at a bounded number of times. A group `secret` names the part to hide;
   * without one, all of it.
   */
  readonly pattern: RegExp;
}

/** Where no word goes on; the letter of a JSON escape such as the n of a line break is no part of a word. */
const START = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt]))`;

/** A token that is known wherever it stands. */
function marked(name: string, source: string): SecretShape {
  return { name, pattern: new RegExp(source, "g") };
}

/** A token whose first letters other words contain too. */
function token(name: string, source: string): SecretShape {
  return { name, pattern: new RegExp(`${START}${source}`, "g") };
}

/** What stands behind an option of a command that takes a password. */
const GIVEN = String.raw`[\\"']{0,2}(?!\[redacted)(?<secret>[^\s"'\\]{1,256})`;

/** A password on the command line of a program that takes one there, not far behind its name. */
function option(program: string, flag: string): SecretShape {
  const source = `(?<![A-Za-z0-9_-])(?:${program})(?![A-Za-z0-9_])[^\\n;|]{0,200}?[ \\t]${flag}${GIVEN}`;
  return { name: "password-option", pattern: new RegExp(source, "g") };
}

/** Tokens that say by their first letters whose they are, and a few with a frame around them. */
export const SECRET_SHAPES: readonly SecretShape[] = [
  marked("aws-key", "(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
  marked("github-token", "gh[pousr]_[A-Za-z0-9]{20,255}"),
  marked("github-token", "github_pat_[A-Za-z0-9_]{22,255}"),
  marked("gitlab-token", "gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{16,255}"),
  marked("slack-token", "xox[abeoprs]-[A-Za-z0-9-]{10,255}"),
  marked("slack-token", "xapp-[A-Za-z0-9-]{10,255}"),
  { name: "slack-webhook", pattern: /hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9/_-]{20,200}/g },
  { name: "discord-webhook", pattern: /discord(?:app)?\.com\/api\/webhooks\/[0-9]{10,25}\/[A-Za-z0-9_-]{40,100}/g },
  marked("anthropic-key", "sk-ant-[A-Za-z0-9_-]{16,255}"),
  token("openai-key", "sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,255}"),
  token("openrouter-key", "sk-or-[A-Za-z0-9_-]{16,255}"),
  token("stripe-key", "(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,255}"),
  marked("google-key", "AIza[A-Za-z0-9_-]{35}"),
  marked("google-oauth", "ya29\\.[A-Za-z0-9_-]{20,1024}"),
  marked("google-oauth", "GOCSPX-[A-Za-z0-9_-]{20,64}"),
  marked("npm-token", "npm_[A-Za-z0-9]{30,64}"),
  marked("pypi-token", "pypi-[A-Za-z0-9_-]{40,255}"),
  token("huggingface-token", "hf_[A-Za-z0-9]{30,64}"),
  marked("digitalocean-token", "do[opr]_v1_[a-f0-9]{64}"),
  token("sendgrid-key", "SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,128}"),
  token("twilio-key", "SK[a-f0-9]{32}(?![A-Za-z0-9])"),
  marked("shopify-token", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
  token("databricks-token", "dapi[a-f0-9]{32}"),
  marked("linear-key", "lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
  token("vault-token", "hvs\\.[A-Za-z0-9_-]{20,255}"),
  marked("age-key", "AGE-SECRET-KEY-1[A-Z0-9]{50,64}"),
  token("telegram-token", "[0-9]{8,10}:AA[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])"),
  token("jwt", "eyJ[A-Za-z0-9_-]{8,8192}\\.[A-Za-z0-9_-]{8,8192}(?:\\.[A-Za-z0-9_-]{0,8192})?"),
  {
    name: "authorization",
    pattern: /(?:bearer|basic|digest|token)[ \t]{1,4}(?<secret>[A-Za-z0-9+/._~-]{16,4096}={0,2})/gi,
  },
  {
    name: "url-password",
    pattern: /(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"<>]{0,128}:(?<secret>[^\s@/'"<>]{1,256})@/gi,
  },
  option("mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|mariadb-dump", "-p(?![ \\t])"),
  option("sshpass|docker[ \\t]login|podman[ \\t]login|helm|az", "-p[ \\t]{0,4}"),
  option("redis-cli", "-a[ \\t]{1,4}"),
  option("ldapsearch|ldapmodify|ldapadd", "-w[ \\t]{0,4}"),
  option("curl|wget|http|https", `(?:-u|--user|-U|--proxy-user|-a|--auth)[ \\t=]{0,4}[\\\\"']{0,2}[^\\s:"']{1,128}:`),
  option("openssl", "-?(?:passin|passout|k|pass)[ \\t]{1,4}(?:pass:)?"),
  option("smbclient|net|mount[.]cifs", "-U[ \\t]{0,4}[^\\s%\"']{1,128}%"),
  {
    name: "password-option",
    pattern: new RegExp(
      `--(?:password|passwd|passphrase|pass|token|secret|api-key|auth-token)[ \\t]{1,4}(?=[^\\s]{0,64}[0-9A-Z!#$%^&*+@])${GIVEN}`,
      "g",
    ),
  },
  {
    name: "netrc",
    pattern: /login[ \t\n]{1,4}\S{1,128}[ \t\n]{1,4}password[ \t\n]{1,4}(?!\[redacted)(?<secret>\S{1,256})/g,
  },
  {
    name: "pgpass",
    pattern:
      /(?<![\w.*:-])[\w.*-]{1,128}:(?:\d{4,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(?!\[redacted)(?<secret>[^\s:"'\\]{1,256})/g,
  },
];
