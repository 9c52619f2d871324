import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { plantTree } from "./data.ts";
import { compare, type Line, type Side } from "./line.ts";
import { startFilesystem } from "./mcp-client.ts";
import { openOurTools } from "./our-tools.ts";
import { openPeers } from "./peers.ts";
import { runForPeak } from "./run-peak.ts";
import { withTemporary } from "./temporary.ts";

const MAX_OUTPUT = 256 * 2 ** 20;
/** As ours: hidden files too, git's folder left out. */
const WALK = ["--no-config", "--hidden", "--glob", "!.git"];

/** Finding text and names in trees of files. */
export async function benchSearch(quick: boolean): Promise<Line[]> {
  const lines: Line[] = [];
  for (const size of quick ? [1_000, 2_000, 5_000, 15_000] : [1_000, 5_000, 15_000, 100_000])
    lines.push(...(await inTree(size, quick)));
  return lines;
}

async function inTree(size: number, quick: boolean): Promise<Line[]> {
  const { rgPath } = await (await openPeers()).load<{ rgPath: string }>("@vscode/ripgrep");
  return withTemporary(async (temporary) => {
    const root = await temporary.folder();
    await plantTree(root, size);
    const tools = await openOurTools(root);
    temporary.defer(() => tools.close());
    const server = await startFilesystem(root);
    temporary.defer(() => server.close());
    const rg = async (...args: string[]): Promise<number> => {
      const options = { cwd: root, maxBuffer: MAX_OUTPUT };
      const { stdout } = await promisify(execFile)(rgPath, [...WALK, ...args, "."], options);
      return stdout.split("\n").length;
    };
    const files = size.toLocaleString("en");
    const rounds = quick ? 3 : size > 50_000 ? 10 : 20;
    const bare = (...args: string[]): Side => ({
      name: "rg",
      role: "peer",
      guarantee: "complete; in no order",
      run: () => rg(...args),
      rss: () => runForPeak(rgPath, [...WALK, ...args, "."], root),
    });
    const grep = (pattern: string): Side => ({
      name: "grep",
      guarantee: "complete, counted, in order, bounded",
      run: () => tools.call("grep", { pattern, limit: 1_000 }),
    });
    const lines = await compare(
      "search",
      `grep a rare word in ${files} files`,
      [bare("--line-number", "-e", "needle"), grep("needle")],
      { rounds, growth: { curve: "grep a rare word in files", size } },
    );
    lines.push(
      ...(await compare(
        "search",
        `grep a word of every file in ${files} files`,
        [bare("--line-number", "-e", "w1x"), grep("w1x")],
        { rounds, growth: { curve: "grep a common word in files", size } },
      )),
      ...(await compare(
        "search",
        `glob **/*.ts in ${files} files`,
        [
          bare("--files", "--glob", "**/*.ts"),
          {
            ...bare("--files", "--glob", "**/*.ts", "--sortr", "modified"),
            name: "rg --sortr modified",
            guarantee: "complete, newest first",
          },
          {
            name: "glob",
            guarantee: "complete, counted, newest first, bounded",
            run: () => tools.call("glob", { pattern: "**/*.ts" }),
          },
          {
            name: "server-filesystem search_files",
            role: "peer",
            guarantee: "complete; .gitignore not read; unbounded answer",
            run: () => server.call("search_files", { path: root, pattern: "**/*.ts" }),
            pids: () => server.pids(),
          },
        ],
        { rounds: size > 50_000 ? 5 : rounds, warmUp: 1, growth: { curve: "glob of files", size } },
      )),
    );
    return lines;
  });
}
