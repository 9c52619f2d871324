import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TextRevision, DataBlock, IkigaiError, SourceHost } from "@ikigai/core";
import { createSourceManager } from "@ikigai/core/host";
import { testDataBlock } from "@ikigai/core/testing";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { gitSource } from "./index.ts";
import { type GitSourceOptions } from "./options.ts";
import { parseLog } from "./log.ts";
import { parseTree } from "./tree.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const host: SourceHost = { mount: "git", signal: new AbortController().signal, services: {}, warn: () => {} };
const SEED = {
  "README.md": "# Hello\n",
  "docs/a b.md": "\uFEFFmark\r\n",
  "docs/naïve 🧠.md": "two\n",
  "docs/:(top)*.md": "magic\n",
  "-rf": "",
};

interface Repository {
  readonly folder: string;
  git(...args: readonly string[]): Promise<string>;
  commit(message: string, files: Readonly<Record<string, string | Buffer>>): Promise<string>;
}

async function repository(): Promise<Repository> {
  const folder = await mkdtemp(join(tmpdir(), "ikigai-git-"));
  folders.push(folder);
  const git = async (...args: readonly string[]): Promise<string> => {
    const person = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgsign=false"];
    return (await promisify(execFile)("git", ["-C", folder, ...person, ...args])).stdout.trim();
  };
  await git("init", "-q", "-b", "main");
  return {
    folder,
    git,
    async commit(message, files) {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      await git("add", "-A");
      await git("commit", "-q", "-m", message);
      return git("rev-parse", "HEAD");
    },
  };
}

async function open(options: GitSourceOptions): Promise<DataBlock<"history">> {
  return gitSource.open(options, host);
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

const seeded = repository().then(async (made) => {
  await made.commit("seed", SEED);
  return made;
});

testDataBlock({ test, source: gitSource, seed: SEED, options: async () => ({ repository: (await seeded).folder }) });

describe("what the suite itself commits", () => {
  const made = new Map<string, Repository>();
  testDataBlock({
    test,
    source: gitSource,
    async options() {
      const fresh = await repository();
      await fresh.git("commit", "-q", "--allow-empty", "-m", "empty");
      made.set(fresh.folder, fresh);
      return { repository: fresh.folder };
    },
    async put({ repository: folder }: { repository: string }, texts) {
      const files = Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined);
      for (const path of Object.keys(texts)) if (texts[path] === undefined) await rm(join(folder, path));
      await made.get(folder)?.commit("put", Object.fromEntries(files));
    },
  });
});

test("a branch is followed, and a commit stays what it was", async () => {
  const { folder, commit } = await repository();
  const first = await commit("one", { "a.md": "one" });
  const [branch, fixed] = [
    await open({ repository: folder, ref: "main" }),
    await open({ repository: folder, ref: first }),
  ];
  await commit("two", { "a.md": "two" });
  expect((await branch.read("a.md"))?.text).toBe("two");
  expect((await fixed.read("a.md"))?.text).toBe("one");
});

test("the git source does not show what was not committed", async () => {
  const { folder, commit } = await repository();
  await commit("one", { "a.md": "committed" });
  await writeFile(join(folder, "a.md"), "edited");
  await writeFile(join(folder, "b.md"), "new");
  const source = await open({ repository: folder });
  expect((await source.read("a.md"))?.text).toBe("committed");
  expect(await source.read("b.md")).toBeUndefined();
});

test("history tells who, when and why, newest first, and skips a removal", async () => {
  const { folder, commit, git } = await repository();
  await commit("begin", { "docs/a.md": "one", "other.md": "x" });
  await commit("unrelated", { "other.md": "y" });
  await git("rm", "-q", "docs/a.md");
  await git("commit", "-q", "-m", "drop");
  await commit("bring back", { "docs/a.md": "two" });
  const source = await open({ repository: folder, folder: "docs" });
  const revisions: TextRevision[] = await all(source.history("a.md"));
  expect(revisions.map(({ text, message, author }) => ({ text, message, author }))).toEqual([
    { text: "two", message: "bring back", author: "Ana" },
    { text: "one", message: "begin", author: "Ana" },
  ]);
  expect(revisions[0]?.version).toBe((await source.read("a.md"))?.version);
  expect(await all(source.history("other.md"))).toEqual([]);
  const short = await open({ repository: folder, folder: "docs/", maxHistory: 1 });
  expect(await all(short.history("a.md"))).toHaveLength(1);
});

test("a merge appears once, as the branch saw it", async () => {
  const { folder, commit, git } = await repository();
  await commit("base", { "a.md": "base" });
  await git("checkout", "-q", "-b", "side");
  await commit("side work", { "a.md": "side" });
  await git("checkout", "-q", "main");
  await commit("main work", { "b.md": "main" });
  await git("merge", "-q", "--no-ff", "-m", "merge side", "side");
  const source = await open({ repository: folder });
  expect((await all(source.history("a.md"))).map(({ text, message }) => [text, message])).toEqual([
    ["side", "merge side"],
    ["base", "base"],
  ]);
});

test("links, submodules and binary files give no text", async () => {
  const { folder, commit, git } = await repository();
  await symlink("/etc/passwd", join(folder, "link.md"));
  await commit("one", { "a.md": "text", "image.png": Buffer.from([0x89, 0, 0xff]), "latin.txt": Buffer.from([0xe9]) });
  await git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},module`);
  await git("commit", "-q", "-m", "module");
  const source = await open({ repository: folder });
  expect((await all(source.list(""))).map(({ path }) => path)).toEqual(["a.md", "image.png", "latin.txt"]);
  for (const path of ["link.md", "module", "module/x"]) expect(await source.read(path)).toBeUndefined();
  for (const path of ["image.png", "latin.txt"]) {
    await expect(source.read(path)).rejects.toMatchObject({ code: "unsupported" });
    expect(await all(source.history(path))).toEqual([]);
  }
});

test("a file over the limit is listed and refused with both numbers", async () => {
  const { folder, commit } = await repository();
  await commit("one", { "big.md": "x".repeat(101) });
  const source = await open({ repository: folder, maxBytes: 100 });
  expect(await all(source.list(""))).toEqual([{ path: "big.md", bytes: 101 }]);
  await expect(source.read("big.md")).rejects.toThrow('"big.md" has 101 bytes, more than the 100');
  expect(await all(source.history("big.md"))).toEqual([]);
});

test("paths are names, never revisions, patterns or options", async () => {
  const { folder, commit } = await repository();
  await commit("one", { "a.md": "one" });
  const source = await open({ repository: folder });
  for (const path of ["HEAD", "HEAD:a.md", "a.md^{blob}", "*.md", ":(glob)**", "--help", "-p", "a.md\nHEAD:a.md"]) {
    expect(await source.read(path), path).toBeUndefined();
    expect(await all(source.history(path)), path).toEqual([]);
  }
});

test("a repository's configuration runs nothing", async () => {
  const { folder, commit, git } = await repository();
  await commit("one", { "a.md": "one", ".gitattributes": "* diff=evil\n" });
  const marker = join(folder, "ran");
  const evil = join(folder, "evil.sh");
  await writeFile(evil, `#!/bin/sh\ntouch '${marker}'\ncat "$1"\n`, { mode: 0o755 });
  for (const key of ["core.fsmonitor", "diff.evil.textconv", "diff.external", "core.pager", "gpg.program"]) {
    await git("config", key, evil);
  }
  await git("config", "log.showSignature", "true");
  // Only a commit that looks signed has its signature looked at.
  const text = await git("cat-file", "commit", "HEAD");
  const signature = ["-----BEGIN PGP SIGNATURE-----", "", "AAAA", "-----END PGP SIGNATURE-----"];
  const signed = text.replace(/\n\n/, `\ngpgsig ${signature.join("\n ")}\n\n`);
  await writeFile(join(folder, "commit"), `${signed}\n`);
  await git("update-ref", "HEAD", await git("hash-object", "-t", "commit", "-w", join(folder, "commit")));
  const source = await open({ repository: folder });
  await source.read("a.md");
  await all(source.list(""));
  expect(await all(source.history("a.md"))).toHaveLength(1);
  expect(existsSync(marker)).toBe(false);
  // Whoever asks git plainly runs what the configuration names.
  await git("log", "-1").catch(() => {});
  expect(existsSync(marker)).toBe(true);
});

test("a git that the repository or the current folder brings is never run, and ours hears no secret", async () => {
  const { folder, commit } = await repository();
  await commit("one", { "a.md": "one" });
  const elsewhere = await mkdtemp(join(tmpdir(), "ikigai-git-"));
  const marker = join(elsewhere, "ran");
  await writeFile(join(folder, "git"), `#!/bin/sh\nenv > '${marker}'\n`, { mode: 0o755 });
  const bin = join(elsewhere, "node_modules", ".bin");
  await mkdir(bin, { recursive: true });
  await cp(join(folder, "git"), join(bin, "git"));
  const { PATH } = process.env;
  Object.assign(process.env, { PATH: `${folder}:.:${bin}:${PATH}`, OPENAI_API_KEY: "sk-secret" });
  try {
    const source = await open({ repository: folder });
    expect((await source.read("a.md"))?.text).toBe("one");
    expect(existsSync(marker)).toBe(false);
  } finally {
    process.env["PATH"] = PATH;
  }
  const installed = join(elsewhere, "installed");
  await mkdir(installed);
  await cp(join(folder, "git"), join(installed, "git"));
  process.env["PATH"] = `${folder}:${installed}:${PATH}`;
  try {
    await open({ repository: folder }).catch(() => {});
  } finally {
    process.env["PATH"] = PATH;
    delete process.env["OPENAI_API_KEY"];
  }
  const heard = await readFile(marker, "utf8");
  expect(heard).not.toMatch(/sk-secret/);
  expect(heard).toContain(`PATH=${installed}:`);
});

test("a bare repository is read when it is the one that was named, and not when it is only found", async () => {
  const { folder, commit, git } = await repository();
  await commit("one", { "a.md": "one" });
  const bare = await mkdtemp(join(tmpdir(), "ikigai-bare-"));
  await git("clone", "-q", "--bare", folder, join(bare, "x.git"));
  expect((await (await open({ repository: join(bare, "x.git") })).read("a.md"))?.text).toBe("one");
  await mkdir(join(bare, "x.git", "below"));
  const found = open({ repository: join(bare, "x.git", "below") });
  await expect(found).rejects.toThrow(/bare repository|not a git repository/);
});

test("the caller's GIT_DIR leads nowhere else", async () => {
  const { folder, commit } = await repository();
  await commit("one", { "a.md": "mine" });
  process.env["GIT_DIR"] = join((await seeded).folder, ".git");
  try {
    expect((await (await open({ repository: folder })).read("a.md"))?.text).toBe("mine");
  } finally {
    delete process.env["GIT_DIR"];
  }
});

test("a missing repository, ref or program is named", async () => {
  const { folder } = await seeded;
  await expect(open({ repository: join(folder, "nowhere") })).rejects.toMatchObject({ code: "unavailable" });
  await expect(open({ repository: folder, ref: "no-such" })).rejects.toMatchObject({ code: "unavailable" });
  const path = process.env["PATH"];
  process.env["PATH"] = "";
  try {
    await expect(open({ repository: folder })).rejects.toThrow("git was not found");
  } finally {
    process.env["PATH"] = path;
  }
});

test("an aborted call says so", async () => {
  const source = await open({ repository: (await seeded).folder });
  const aborted = source.read("README.md", { signal: AbortSignal.abort() });
  await expect(aborted).rejects.toMatchObject({ code: "aborted" } satisfies Partial<IkigaiError>);
});

test("a git that does not come back is ended", async () => {
  const { folder } = await repository();
  const slow = await mkdtemp(join(tmpdir(), "ikigai-slow-"));
  await writeFile(join(slow, "git"), "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
  const path = process.env["PATH"];
  process.env["PATH"] = `${slow}:${path}`;
  try {
    const opening = open({ repository: folder, timeoutMs: 100 });
    await expect(opening).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("100 ms") });
  } finally {
    process.env["PATH"] = path;
  }
});

test("a mounted repository tells the agent what it is", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "released", source: gitSource, options: { repository: (await seeded).folder } });
  expect(sources.status("released")[0]?.guidance).toContain("released:/// holds the files of a git repository");
  await sources.close();
});

test.each(["--upload-pack=x", "a..b", "a b", "-", "^main", "main:a", "a\nb"])("the ref %j is refused", async (ref) => {
  const checked = await gitSource.options["~standard"].validate({ repository: ".", ref });
  expect(checked.issues).toBeDefined();
});

test.each(["main", "v1.0", "feature/x-y", "HEAD~2", "HEAD^", "abc123"])("the ref %j is accepted", async (ref) => {
  const checked = await gitSource.options["~standard"].validate({ repository: ".", ref });
  expect(checked.issues).toBeUndefined();
});

test.each(["/etc", "../x", "a/../b", "."])("the folder %j is refused", async (folder) => {
  const checked = await gitSource.options["~standard"].validate({ repository: ".", folder });
  expect(checked.issues).toBeDefined();
});

test("no output of git breaks the parsers", () => {
  fc.assert(
    fc.property(fc.string(), fc.uint8Array(), (text, bytes) => {
      parseLog(text, "a");
      parseTree(Buffer.from(bytes), "");
    }),
  );
});

test("the git source does not serve the host's own files from a commit", async () => {
  const { folder, commit } = await repository();
  await commit("all", { "settings/keys.json": "secret", "note.md": "plain" });
  const source = await gitSource.open(
    { repository: folder },
    { ...host, isOwn: (path) => path.endsWith("/keys.json") },
  );
  const listed: string[] = [];
  for await (const { path } of source.list("")) listed.push(path);
  expect(listed).toEqual(["note.md"]);
  expect(await source.read("settings/keys.json")).toBeUndefined();
  for await (const revision of source.history("settings/keys.json")) expect(revision).toBeUndefined();
  expect((await source.read("note.md"))?.text).toBe("plain");
});
