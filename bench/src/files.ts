import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFlip, textOf } from "./data.ts";
import { compare, counted, type Line, type Side, takenElsewhere, withRatios } from "./line.ts";
import { type McpServer, startFilesystem, startOurs, versionIn } from "./mcp-client.ts";
import { NEWER_NODE, newerNode } from "./newer-node.ts";
import { type NodeProcess, startNodeProcess } from "./node-process.ts";
import { type OurTools, openOurTools } from "./our-tools.ts";
import { installSeparately, openPeers, PEERS, SEPARATE_PEERS } from "./peers.ts";
import { type Temporary, withTemporary } from "./temporary.ts";

type WriteFileAtomic = (path: string, text: string) => Promise<void>;

const NEWER_ATOMIC = SEPARATE_PEERS["write-file-atomic"];

/** What each side promises of a file. */
export const FILE_GUARANTEES = {
  read: "checked: UTF-8, kind and size of file, version",
  edit: "durable, atomic, checked, merged with others' edits",
  server: "durable, atomic, checked, audited, journalled",
  peerRead: "path checked",
  peerWrite: "atomic rename; not synced, no version",
} as const;

const SIZES = { "1 kB": 1_000, "1 MB": 1_000_000 } as const;

/** Files: reading, editing and saving, in process and through servers, and blocks. */
export async function benchFiles(quick: boolean): Promise<Line[]> {
  const rounds = quick ? 10 : 200;
  return withTemporary(async (temporary) => {
    const root = await temporary.folder();
    const tools = await openOurTools(root);
    temporary.defer(() => tools.close());
    const lines = await inProcess(root, tools, await openNewerAtomic(temporary), rounds);
    lines.push(...(await throughServers(temporary, rounds)));
    lines.push(...(await manyFiles(temporary, quick)));
    lines.push(...(await loadedBlocks(temporary, quick ? 200 : 1_000)));
    return lines;
  });
}

async function inProcess(
  root: string,
  tools: OurTools,
  newer: NodeProcess<{ path: string; size: number }>,
  rounds: number,
): Promise<Line[]> {
  const peers = await openPeers();
  const atomic = (await peers.load<{ default: WriteFileAtomic }>("write-file-atomic")).default;
  const lines: Line[] = [];
  for (const [label, size] of Object.entries(SIZES)) {
    const ours = createFlip(size);
    const theirs = createFlip(size);
    const path = `ours-${size}.txt`;
    const bare = join(root, `bare-${size}.txt`);
    await writeFile(join(root, path), ours.text());
    await writeFile(bare, theirs.text());
    lines.push(
      ...(await compare(
        "files",
        `read ${label}, in process`,
        [
          {
            name: "readFileSync",
            role: "floor",
            guarantee: "none: everything else waits meanwhile",
            run: () => readFileSync(bare, "utf8"),
          },
          { name: "file_read", guarantee: FILE_GUARANTEES.read, run: () => tools.call("file_read", { path }) },
        ],
        { rounds },
      )),
      ...(await compare(
        "files",
        `edit ${label}, in process`,
        [
          {
            name: "readFileSync, replace, writeFileSync",
            role: "floor",
            guarantee: "none: a crash tears it, others' edits are lost",
            run: () => {
              const { old, new: next } = theirs.flip();
              writeFileSync(bare, readFileSync(bare, "utf8").replace(old, next));
            },
          },
          {
            name: "file_edit",
            guarantee: FILE_GUARANTEES.edit,
            run: () => tools.call("file_edit", { path, ...ours.flip() }),
          },
        ],
        { rounds },
      )),
      ...(await compare("files", `save ${label}, in process`, saves(root, tools, atomic, newer, size), { rounds })),
    );
  }
  return lines;
}

function saves(
  root: string,
  tools: OurTools,
  atomic: WriteFileAtomic,
  newer: NodeProcess<{ path: string; size: number }>,
  size: number,
): Side[] {
  const theirs = createFlip(size);
  const ours = createFlip(size);
  const at = (name: string): string => join(root, `${name}-${size}.txt`);
  const path = `saved-${size}.txt`;
  let version: string | undefined;
  const peer = { role: "peer", guarantee: "file synced, atomic; folder not synced, no version" } as const;
  return [
    {
      ...peer,
      name: `write-file-atomic ${PEERS["write-file-atomic"]}`,
      before: () => void theirs.flip(),
      run: () => atomic(at("atomic"), theirs.text()),
    },
    {
      ...peer,
      name: `write-file-atomic ${NEWER_ATOMIC} on Node ${NEWER_NODE}`,
      run: async () => takenElsewhere(await newer.run({ path: at("newer"), size })),
      pids: async () => newer.pids,
    },
    {
      name: "file_write",
      guarantee: "durable (file and folder synced), atomic, refuses what it has not seen",
      before: () => void ours.flip(),
      async run() {
        const expected = version === undefined ? {} : { expected: version };
        version = String((await tools.call("file_write", { path, content: ours.text(), ...expected }))["version"]);
      },
    },
  ];
}

/** The newest write-file-atomic has left our Node, so it runs in a process of another. */
async function openNewerAtomic(temporary: Temporary): Promise<NodeProcess<{ path: string; size: number }>> {
  const folder = await installSeparately("write-file-atomic");
  const started = await startNodeProcess<{ path: string; size: number }>(
    await newerNode(),
    fileURLToPath(new URL("atomic-child.js", import.meta.url)),
    [folder],
  );
  temporary.defer(() => started.close());
  return started;
}

/** Reading, writing and editing one file through our server and the reference server. Also what `mcp` measures. */
export async function compareServers(
  bench: string,
  folders: { readonly ours: string; readonly theirs: string },
  servers: { readonly ours: McpServer; readonly theirs: McpServer },
  rounds: number,
): Promise<Line[]> {
  const lines: Line[] = [];
  const { ours, theirs } = servers;
  const pids = { ours: () => ours.pids(), theirs: () => theirs.pids() };
  for (const [label, size] of Object.entries(SIZES)) {
    const name = `file-${size}.txt`;
    const path = join(folders.theirs, name);
    const flips = { ours: createFlip(size), theirs: createFlip(size) };
    await writeFile(join(folders.ours, name), flips.ours.text());
    await writeFile(path, flips.theirs.text());
    const side = (role: "ours" | "peer", guarantee: string, run: Side["run"], before?: Side["before"]): Side => ({
      name: role === "ours" ? "ikigai mcp" : "server-filesystem",
      role,
      guarantee,
      run,
      pids: role === "ours" ? pids.ours : pids.theirs,
      ...(before !== undefined && { before }),
    });
    const { read, server, peerRead, peerWrite } = FILE_GUARANTEES;
    let version = versionIn(await ours.call("file_read", { path: name }));
    lines.push(
      ...(await compare(
        bench,
        `read ${label}, over stdio`,
        [
          side("peer", peerRead, () => theirs.call("read_text_file", { path })),
          side("ours", `${read}, audited`, () => ours.call("file_read", { path: name })),
        ],
        { rounds },
      )),
      ...(await compare(
        bench,
        `write ${label}, over stdio`,
        [
          side(
            "peer",
            peerWrite,
            () => theirs.call("write_file", { path, content: flips.theirs.text() }),
            () => void flips.theirs.flip(),
          ),
          side(
            "ours",
            server,
            async () => {
              const args = { path: name, content: flips.ours.text(), expected: version };
              version = versionIn(await ours.call("file_write", args));
            },
            () => void flips.ours.flip(),
          ),
        ],
        { rounds },
      )),
      ...(await compare(
        bench,
        `edit ${label}, over stdio`,
        [
          side("peer", peerWrite, () => {
            const { old, new: next } = flips.theirs.flip();
            return theirs.call("edit_file", { path, edits: [{ oldText: old, newText: next }] });
          }),
          side("ours", server, () => ours.call("file_edit", { path: name, ...flips.ours.flip() })),
        ],
        { rounds },
      )),
    );
  }
  return lines;
}

async function throughServers(temporary: Temporary, rounds: number): Promise<Line[]> {
  const folders = { ours: await temporary.folder(), theirs: await temporary.folder() };
  const servers = await startPair(temporary, folders);
  return compareServers("files", folders, servers, rounds);
}

/** Both servers, each on its folder. Ours answers with the whole text, so that both send the same. */
export async function startPair(
  temporary: Temporary,
  folders: { readonly ours: string; readonly theirs: string },
): Promise<{ ours: McpServer; theirs: McpServer }> {
  const store = await temporary.store("postgres");
  // Where the user's own configuration is: a folder's would have to be trusted first.
  const config = join(store, "config", "ikigai");
  await mkdir(config, { recursive: true });
  await writeFile(join(config, "ikigai.config.json"), JSON.stringify({ max_output_size: 8_000_000 }));
  const ours = await startOurs(folders.ours, store, "--tools", "files,recall");
  temporary.defer(() => ours.close());
  const theirs = await startFilesystem(folders.theirs);
  temporary.defer(() => theirs.close());
  return { ours, theirs };
}

async function manyFiles(temporary: Temporary, quick: boolean): Promise<Line[]> {
  const files = quick ? 100 : 1_000;
  const root = await temporary.folder();
  const tools = await openOurTools(root);
  temporary.defer(() => tools.close());
  const names = Array.from({ length: files }, (_, index) => `many${index}.txt`);
  const ours = createFlip(1_000);
  const theirs = createFlip(1_000);
  for (const name of names) {
    await writeFile(join(root, name), ours.text());
    await writeFile(join(root, `bare-${name}`), theirs.text());
  }
  for (const path of names) await tools.call("file", { op: "load", path });
  return compare(
    "files",
    `load, edit and save ${files.toLocaleString("en")} files of 1 kB`,
    [
      {
        name: "file reload, replace, save",
        guarantee: "durable, atomic, conflict-checked, undoable",
        async run() {
          const edit = ours.flip();
          for (const path of names) {
            await tools.call("file", { op: "reload", path });
            await tools.call("file", { op: "replace", path, ...edit });
            await tools.call("file", { op: "save", path });
          }
        },
      },
      {
        name: "readFile, replace, writeFile",
        role: "floor",
        guarantee: "none",
        async run() {
          const edit = theirs.flip();
          for (const name of names) {
            const path = join(root, `bare-${name}`);
            const text = await readFile(path, "utf8");
            await writeFile(path, text.replace(edit.old, edit.new));
          }
        },
      },
    ],
    { rounds: quick ? 3 : 10, warmUp: 1 },
  );
}

async function loadedBlocks(temporary: Temporary, blocks: number): Promise<Line[]> {
  const root = await temporary.folder();
  const text = textOf(1_000, "marker");
  for (let index = 0; index < blocks; index++) await writeFile(join(root, `block${index}.txt`), text);
  const script = fileURLToPath(new URL("loaded-blocks.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script, root, String(blocks)]);
  const { before, after, peak } = JSON.parse(stdout) as { before: number; after: number; peak: number };
  const side = { name: "blocks", guarantee: "every block a document with history", rss: peak };
  return withRatios([
    counted("files", `memory for ${blocks.toLocaleString("en")} loaded blocks of 1 kB`, "MB", side, after - before),
  ]);
}
