// Opens the program's own host on a workspace made for the purpose, plans and makes the calls, and takes it all away again.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CALLS, FILES } from "./calls.mjs";

/** The cards of every tool, and what each call touched and answered. */
export async function observe() {
  const base = await mkdtemp(join(tmpdir(), "ikigai-reference-"));
  process.env.XDG_CONFIG_HOME = join(base, "config");
  process.env.XDG_CACHE_HOME ??= join(tmpdir(), `ikigai-test-stores-${process.getuid?.() ?? 0}`);
  process.env.HOME = base;
  const { openHost } = await import("../../packages/host/dist/index.js");
  const { stopKeeper } = await import("../../packages/database/dist/index.js");
  const root = join(base, "project");
  const store = join(base, "store");
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const host = await openHost({ root, store, mode: "all" });
  try {
    const { cards } = host.registry.snapshot();
    const calls = [];
    for (const call of CALLS) calls.push({ ...call, ...(await make(host.registry, call, base)) });
    return { cards, calls };
  } finally {
    await host.close();
    await stopKeeper(join(store, "postgres"));
    await rm(base, { recursive: true, force: true });
  }
}

async function make(registry, { name, arguments: input }, base) {
  const options = { agent: "default", conversation: "reference" };
  const plan = await registry.plan({ name, arguments: input }, options).catch(() => ({ verdicts: [] }));
  const answer = await registry.call({ name, arguments: input }, options);
  const effects = plan.verdicts.map(({ effect }) => `${effect.action} ${unhashed(effect.target)}`);
  if (!answer.success) answer.error = unhashed(answer.error.replaceAll(base, "…"));
  return { effects, answer };
}

/** The label of a file's block holds a hash of its absolute path, which differs from run to run. */
function unhashed(text) {
  return text.replaceAll(/\bfile:[0-9a-f]{8}:/g, "file:HASH:");
}
