import { type DataBlock, IkigaiError, type SourceCallOptions, type SourceHost } from "@ikigai/core";
import { readBlobs, textIn } from "./blobs.ts";
import { LOG_FORMAT, parseLog } from "./log.ts";
import type { GitSourceOptions } from "./options.ts";
import { createRunGit } from "./run-git.ts";
import { parseTree, type TreeFile } from "./tree.ts";

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_HISTORY = 100;
const TIMEOUT_MS = 30_000;

/** Contract: rejects with `unavailable` when there is no such repository or ref. */
export async function openGitSource(
  options: GitSourceOptions,
  host: Pick<SourceHost, "isOwn"> = {},
): Promise<DataBlock<"history">> {
  const { repository, ref = "HEAD", maxBytes = MAX_BYTES, maxHistory = MAX_HISTORY } = options;
  const git = createRunGit(repository, options.timeoutMs ?? TIMEOUT_MS);
  const folder = options.folder === undefined ? "" : `${options.folder.replace(/\/+$/, "")}/`;
  let known: { readonly commit: string; readonly files: ReadonlyMap<string, TreeFile> } | undefined;

  async function commitNow(call: SourceCallOptions): Promise<string> {
    return (await git(["rev-parse", "--verify", `${ref}^{commit}`], call)).toString().trim();
  }

  /** A commit's tree never changes, so it is read once. */
  async function filesNow(call: SourceCallOptions): Promise<ReadonlyMap<string, TreeFile>> {
    const commit = await commitNow(call);
    if (known?.commit === commit) return known.files;
    const files = parseTree(await git(["ls-tree", "-r", "-z", "-l", "--full-tree", commit], call), folder);
    known = { commit, files };
    return files;
  }

  await commitNow({});
  // A bare repository has no work tree, and nothing of the host's own can lie in one.
  const workTree = (await git(["rev-parse", "--show-toplevel"], {}).catch(() => Buffer.of())).toString().trim();
  /** The host's own files are not served from a commit either. */
  const isOwn = (path: string): boolean => workTree !== "" && host.isOwn?.(`${workTree}/${folder}${path}`) === true;
  return {
    async read(path, { signal } = {}) {
      const file = (await filesNow({ ...(signal && { signal }) })).get(path);
      if (file === undefined || isOwn(path)) return undefined;
      if (file.bytes > maxBytes) throw tooLarge(path, file.bytes, maxBytes);
      const blob = (await readBlobs(git, [file.id], { signal })).get(file.id);
      const text = blob && textIn(blob);
      if (text === undefined) throw notText(path);
      return { text, version: file.id };
    },
    async *list(prefix, { signal } = {}) {
      for (const { path, bytes } of (await filesNow({ ...(signal && { signal }) })).values()) {
        if (path.startsWith(prefix) && !isOwn(path)) yield { path, bytes };
      }
    },
    async *history(path, { signal } = {}) {
      if (isOwn(path)) return;
      const commit = await commitNow({ ...(signal && { signal }) });
      const full = `${folder}${path}`;
      const args = ["log", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--first-parent", "-m"];
      const log = await git([...args, `--max-count=${maxHistory}`, `--format=${LOG_FORMAT}`, commit, "--", full], {
        signal,
      });
      const changes = parseLog(log.toString(), full);
      const blobs = await readBlobs(git, await smallEnough([...new Set(changes.map(({ id }) => id))], signal), {
        signal,
      });
      for (const { id, at, author, message } of changes) {
        const blob = blobs.get(id);
        const text = blob && textIn(blob);
        if (text !== undefined) yield { version: id, at, text, author, message };
      }
    },
  };

  /** A state that could not be read could not be shown either. */
  async function smallEnough(ids: readonly string[], signal: AbortSignal | undefined): Promise<string[]> {
    if (ids.length === 0) return [];
    const checked = await git(["cat-file", "--batch-check"], { input: `${ids.join("\n")}\n`, signal });
    return checked
      .toString()
      .split("\n")
      .flatMap((line) => {
        const [id, kind, size] = line.split(" ");
        return id !== undefined && kind === "blob" && Number(size) <= maxBytes ? [id] : [];
      });
  }
}

function tooLarge(path: string, bytes: number, maxBytes: number): IkigaiError {
  return new IkigaiError("unsupported", `"${path}" has ${bytes} bytes, more than the ${maxBytes} that are read`, {
    hint: "Raise maxBytes in the options of this mount, or choose another file.",
  });
}

function notText(path: string): IkigaiError {
  return new IkigaiError("unsupported", `"${path}" is not UTF-8 text`, { hint: "Choose a text file." });
}
