import type { SecretSpan } from "./secret-span.ts";

/** A key that says by its letters whose it is. */
interface KeyShape {
  readonly name: string;
  /** The letters that it begins with: all there are, separated by blanks. */
  readonly prefixes: readonly string[];
  /** Sticky and bounded; what stands behind one of the prefixes. */
  readonly rest: RegExp;
  /** Its first letters are met inside other words too: it is one only where a word begins. */
  readonly atStart: boolean;
}

const W = "[A-Za-z0-9_-]";
const A = "[A-Za-z0-9]";
const H = "[a-f0-9]";
const END = "(?![A-Za-z0-9])";
const WORD = /[A-Za-z0-9_-]/;
const WORD_REST = /[A-Za-z0-9_-]*/y;

function shape(name: string, prefixes: string, rest: string, atStart = false): KeyShape {
  return { name, prefixes: prefixes.split(" "), rest: new RegExp(rest, "y"), atStart };
}

/** Known wherever it stands. */
const MARKED: readonly KeyShape[] = [
  shape("aws-key", "AKIA ASIA ABIA ACCA AROA AIDA", `[A-Z0-9]{16}${END}`),
  shape("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", `${A}{20,255}`),
  shape("github-token", "github_pat_", "[A-Za-z0-9_]{22,255}"),
  shape(
    "gitlab-token",
    "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- gloas- glimt- glffct- glwt-",
    "[A-Za-z0-9_.-]{16,255}",
  ),
  shape("gitlab-token", "GR1348941", `${W}{20,255}`),
  shape("slack-token", "xoxa xoxb xoxe xoxo xoxp xoxr xoxs", "[-.][A-Za-z0-9.-]{10,255}"),
  shape("slack-token", "xapp-", "[A-Za-z0-9-]{10,255}"),
  shape("slack-webhook", "hooks.slack.com/", "(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200}"),
  shape(
    "discord-webhook",
    "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
    "[0-9]{10,25}/[A-Za-z0-9_-]{40,100}",
  ),
  shape("teams-webhook", "webhook.office.com/webhookb2/", "[A-Za-z0-9@/_-]{20,400}"),
  shape("anthropic-key", "sk-ant-", `${W}{16,255}`),
  shape("google-key", "AIza", `${W}{35}`),
  shape("google-oauth", "ya29.", `${W}{20,1024}`),
  shape("google-oauth", "GOCSPX-", `${W}{20,64}`),
  shape("npm-token", "npm_", `${A}{30,64}`),
  shape("pypi-token", "pypi-", `${W}{40,1024}`),
  shape("docker-token", "dckr_pat_ dckr_oat_", `${W}{20,64}`),
  shape("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", `${H}{64}`),
  shape("shopify-token", "shpat_ shpca_ shppa_ shpss_", "[a-fA-F0-9]{32}"),
  shape("linear-key", "lin_api_ lin_oauth_", `${A}{32,64}`),
  shape("age-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,64}"),
  shape("grafana-token", "glsa_", `${A}{32}_[a-fA-F0-9]{8}`),
  shape("grafana-token", "glc_", "[A-Za-z0-9+/]{32,400}={0,2}"),
  shape("atlassian-token", "ATATT3xFfG ATCTT3xFfG ATBBT3xFfG", "[A-Za-z0-9_=-]{20,255}"),
  shape("sentry-token", "sntrys_ sntryu_", "[A-Za-z0-9+/=_-]{32,400}"),
  shape("tailscale-key", "tskey-", "[a-z]{3,12}-[A-Za-z0-9-]{16,100}"),
  shape("pulumi-token", "pul-", `${H}{40}`),
  shape("postman-key", "PMAK-", `${H}{24}-${H}{34}`),
  shape("newrelic-key", "NRAK- NRII- NRAA- NRJS- NRRA-", `${A}{20,64}`),
  shape("braintree-token", "access_token$production$ access_token$sandbox$", "[a-z0-9]{16}\\$[a-f0-9]{32}"),
  shape("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", `[A-Za-z0-9_.-]{32,64}`),
  shape("fly-token", "fm1_ fm2_ fm1a_ fm1r_", "[A-Za-z0-9+/=_-]{40,1024}"),
  shape("rubygems-key", "rubygems_", `${H}{48}`),
  shape("supabase-key", "sbp_ sb_secret_", `${W}{20,64}`),
  shape("vercel-token", "vercel_blob_rw_", `${W}{20,64}`),
  shape("contentful-token", "CFPAT-", `${W}{43}`),
  shape("cloudflare-key", "v1.0-", `${H}{24}-[A-Za-z0-9_-]{100,200}`),
  shape("facebook-token", "EAAC", `${A}{40,255}`),
  shape("nvidia-key", "nvapi-", `${W}{40,100}`),
  shape("langfuse-key", "sk-lf-", `${W}{16,64}`),
  shape("langsmith-key", "lsv2_pt_ lsv2_sk_", `${H}{32}_${H}{10}`),
  shape("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", `[A-Za-z0-9_.-]{30,100}`),
];

/** Begins with letters that other words contain too. */
const AT_A_START: readonly KeyShape[] = [
  shape("openai-key", "sk-", `(?:proj-|svcacct-|admin-|or-v1-|or-)?${W}{20,255}`),
  shape("stripe-key", "sk_ rk_ pk_ whsec_", `(?:live_|test_)?${A}{16,255}`),
  shape("google-oauth", "1//0", `${W}{30,200}`),
  shape("google-key", "AQ.Ab8", `${W}{30,200}`),
  shape("huggingface-token", "hf_ api_org_", `${A}{30,64}`),
  shape("xai-key", "xai-", `${A}{60,100}`),
  shape("groq-key", "gsk_", `${A}{40,64}`),
  shape("replicate-token", "r8_", `${A}{30,64}`),
  shape("perplexity-key", "pplx-", `${A}{40,64}`),
  shape("sendgrid-key", "SG.", `${W}{16,64}\\.${W}{16,128}`),
  shape("twilio-key", "SK", `${H}{32}${END}`),
  shape("mailgun-key", "key-", `${H}{32}${END}`),
  shape("databricks-token", "dapi", `${H}{32}`),
  shape("vault-token", "hvs. hvb. hvr.", `${W}{20,255}`),
  shape("notion-token", "secret_", `${A}{43}${END}`),
  shape("notion-token", "ntn_", `${A}{40,60}`),
  shape("figma-token", "figd_", `${W}{32,64}`),
  shape("square-token", "sq0csp- sq0atp- sq0idp-", `${W}{22,64}`),
  shape("square-token", "EAAA", `${W}{40,255}`),
  shape("posthog-key", "phc_ phx_", `${A}{32,64}`),
  shape("fly-token", "fo1_", `${W}{32,64}`),
  shape("airtable-token", "pat", `${A}{14}\\.${H}{64}`),
  shape("jwt", "eyJ", `${W}{8,8192}\\.${W}{8,8192}(?:\\.[A-Za-z0-9_-]{0,8192}){0,3}`),
  shape("docker-config", "eyJhdXRocyI6", `[A-Za-z0-9+/]{8,8192}={0,2}`),
  shape(
    "password-hash",
    "$apr1$ $1$ $5$ $6$ $y$ $2a$ $2b$ $2x$ $2y$ $argon2i$ $argon2id$ $scrypt$",
    "[A-Za-z0-9./$=,+]{20,255}",
  ),
].map((one) => ({ ...one, atStart: true }));

/** Keys whose known letters stand in the middle or at the end; each pattern is global and starts at these letters. */
const INNER: readonly { readonly name: string; readonly pattern: RegExp; readonly before: RegExp }[] = [
  { name: "telegram-token", pattern: /:AA[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])/g, before: /(?<![0-9])[0-9]{8,10}$/ },
  { name: "mailchimp-key", pattern: /-us[0-9]{1,2}(?![A-Za-z0-9])/g, before: /(?<![A-Za-z0-9])[0-9a-f]{32}$/ },
  { name: "azure-secret", pattern: /Q~[A-Za-z0-9_.~-]{31,34}/g, before: /(?<![A-Za-z0-9_.~-])[A-Za-z0-9_.~]{3}[0-9]$/ },
  {
    name: "discord-token",
    pattern: /\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g,
    before: /(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{22,27}$/,
  },
];
const LONGEST_BEFORE = 40;

const BY_PREFIX = groupByPrefix();
/** Plain letters only, in order: so the engine compares what they have in common once. */
const ANY_PREFIX = new RegExp(
  [...BY_PREFIX.keys()].map((prefix) => prefix.replaceAll(/[$./]/g, String.raw`\$&`)).join("|"),
  "g",
);

/** Keys and tokens of well-known services. */
export function findProviderKeys(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  ANY_PREFIX.lastIndex = 0;
  for (let hit = ANY_PREFIX.exec(text); hit !== null; hit = ANY_PREFIX.exec(text)) {
    const end = endOfKey(text, hit, found);
    // What is inside a key that was found is part of it; else another may begin at the next letter.
    ANY_PREFIX.lastIndex = end ?? hit.index + 1;
  }
  for (const { name, pattern, before } of INNER) {
    for (const { index, 0: rest } of text.matchAll(pattern)) {
      const beginning = before.exec(text.slice(Math.max(0, index - LONGEST_BEFORE), index))?.[0];
      if (beginning !== undefined) found.push({ name, start: index - beginning.length, end: index + rest.length });
    }
  }
  return found;
}

/** Adds the longest key that begins with a prefix at its place. Contract: gives where it ends. */
function endOfKey(text: string, { index: start, 0: prefix }: RegExpExecArray, found: SecretSpan[]): number | undefined {
  const begins =
    start === 0 || !WORD.test(text[start - 1] as string) || /\\[bfnrt]$/.test(text.slice(start - 2, start));
  let best: SecretSpan | undefined;
  for (const { name, rest, atStart } of BY_PREFIX.get(prefix) ?? []) {
    rest.lastIndex = start + prefix.length;
    if ((atStart && !begins) || !rest.test(text)) continue;
    if (best === undefined || rest.lastIndex > best.end) best = { name, start, end: rest.lastIndex };
  }
  if (best === undefined) return undefined;
  // Longer than any key of its kind: the whole word goes, so that its rest is not taken for another one next time.
  WORD_REST.lastIndex = best.end;
  WORD_REST.test(text);
  found.push({ ...best, end: WORD_REST.lastIndex });
  return WORD_REST.lastIndex;
}

/** Contract: of two prefixes of which one begins with the other, the longer one comes first. */
function groupByPrefix(): ReadonlyMap<string, readonly KeyShape[]> {
  const groups = new Map<string, KeyShape[]>();
  const shapes = [...MARKED, ...AT_A_START];
  for (const prefix of shapes
    .flatMap(({ prefixes }) => prefixes)
    .toSorted()
    .toReversed()) {
    groups.set(
      prefix,
      shapes.filter(({ prefixes }) => prefixes.includes(prefix)),
    );
  }
  return groups;
}
