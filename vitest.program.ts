import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { access, chmod, mkdir, mkdtemp, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Plugin, rolldown } from "rolldown";

const ROOT = dirname(fileURLToPath(import.meta.url));
const ENTRIES = {
  "bin/ikigai": join(ROOT, "apps/cli/bin/ikigai.js"),
  "mortal-agent": join(ROOT, "apps/cli/dist/screen/testing/mortal-agent.js"),
};
const FOLDER = join(ROOT, "node_modules/.ikigai/programs");
/** Packages with code that is not JavaScript, or that hides what it requires: they stay where they are. */
const IN_PLACE =
  /[\\/]node_modules[\\/](?:@lydell[\\/]node-pty|libsql|@libsql|loro-crdt|@electric-sql[\\/]pglite|@vscode[\\/]ripgrep|jsonc-parser)/;

/**
 * Puts what was built into few files for the tests that start it: the programs do the same, and start with half of the
 * processor time, since some twenty files are loaded instead of six hundred. `IKIGAI_TEST_PROGRAMS` is their folder.
 *
 * Contract: made anew whenever anything that they are made from has changed; what is read beside a module is read where the
 * module was built. `IKIGAI_TEST_PROGRAMS=built` leaves the tests to start what is published.
 */
export async function setup(): Promise<void> {
  if (process.env["IKIGAI_TEST_PROGRAMS"] === "built") {
    delete process.env["IKIGAI_TEST_PROGRAMS"];
    return;
  }
  const folder = join(FOLDER, fingerprint());
  if (!(await exists(folder))) await prepare(folder);
  // Those not used lately go with the next one that is made.
  await utimes(folder, new Date(), new Date());
  process.env["IKIGAI_TEST_PROGRAMS"] = folder;
}

/** Contract: the folder appears complete or not at all; of two that are made at once one stays. */
async function prepare(folder: string): Promise<void> {
  await removeOld();
  await mkdir(FOLDER, { recursive: true });
  const made = await mkdtemp(join(FOLDER, "new-"));
  try {
    const bundle = await rolldown({
      input: ENTRIES,
      platform: "node",
      logLevel: "silent",
      plugins: [inPlace, ownAddress],
    });
    // Without spaces and comments a file is read in less time; names and structure stay.
    await bundle.write({ dir: made, format: "esm", minify: { compress: false, mangle: false, codegen: true } });
    await bundle.close();
    // Without this Node reads every file twice, to find out what it is.
    await writeFile(join(made, "package.json"), JSON.stringify({ type: "module" }));
    // Some tests start it as another user.
    await chmod(made, 0o755);
    await rename(made, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

const inPlace: Plugin = {
  name: "in-place",
  async resolveId(source, importer, { kind }) {
    if (importer === undefined || source.startsWith(".") || source.startsWith("node:")) return null;
    const resolved = await this.resolve(source, importer, { kind, skipSelf: true });
    if (resolved === null || !IN_PLACE.test(resolved.id)) return null;
    return { id: pathToFileURL(resolved.id).href, external: true };
  },
};

const ownAddress: Plugin = {
  name: "own-address",
  transform: {
    filter: { code: "import.meta.url" },
    handler: (code, id) => code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
  },
};

/** Names what the program is made from: every built file, and the versions of all other packages. */
function fingerprint(): string {
  const hash = createHash("sha256");
  const folders = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(ROOT, group)).map((name) => join(ROOT, group, name, "dist")),
  );
  for (const file of [
    ...folders.flatMap(scripts),
    ENTRIES["bin/ikigai"],
    join(ROOT, "pnpm-lock.yaml"),
    fileURLToPath(import.meta.url),
  ]) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

function scripts(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".js"))
      .map((name) => join(folder, name))
      .toSorted();
  } catch {
    return [];
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A program that another run uses is left: who looks at it again may take it as used. */
async function removeOld(): Promise<void> {
  let names: string[] = [];
  try {
    names = readdirSync(FOLDER);
  } catch {
    return;
  }
  const old = names.map((name) => join(FOLDER, name)).filter((path) => Date.now() - statSync(path).mtimeMs > DAY_MS);
  await Promise.all(old.map((path) => rm(path, { recursive: true, force: true })));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
