// One actor of a schedule: a thread with a file source of its own, which asks before every system call that others can
// notice and then waits for its turn. What it asks through is shared memory, so that synchronous calls can wait too.
import fs from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { workerData } from "node:worker_threads";

const { shared, text, port, sourceFile, memory } = workerData;
const TURN = 0;
const STATUS = 1;
const LENGTH = 2;
const ASKING = 1;
const IDLE = 2;
const DIE = 2;
const control = new Int32Array(shared);
const words = new Uint8Array(text);
const encoder = new TextEncoder();

/** The folders whose calls are scheduled. Absent: nothing is. */
let watched;
let dead = false;

class Killed extends Error {
  code = "KILLED";
}

/** Waits for the turn of this actor. Contract: throws when it is killed here, and ever after. */
function ask(what) {
  if (watched === undefined) return;
  if (dead) throw new Killed("killed");
  const { written } = encoder.encodeInto(what, words);
  Atomics.store(control, LENGTH, written);
  say(ASKING);
  // A wait can end by the notice of the turn before, whose value was seen before its notice came.
  while (Atomics.load(control, TURN) === 0) Atomics.wait(control, TURN, 0);
  dead = Atomics.exchange(control, TURN, 0) === DIE;
  if (dead) throw new Killed("killed");
}

function say(status) {
  Atomics.store(control, STATUS, status);
  Atomics.notify(control, STATUS);
}

const OWN = /\.ikigai~(?:tmp|bak|new)-|\/[0-9a-f]{32}\.[0-9a-f]{12}$/;
const nameOf = (path) => String(path).slice(String(path).lastIndexOf("/") + 1);

/** Whether others can notice a call on these paths: what only this actor knows of, and the system's own files, they cannot. */
function isShared(paths) {
  return paths.some(
    (path) => typeof path === "string" && !path.startsWith("/proc/sys") && !/^\/proc\/\d+\//.test(path),
  );
}

/** Calls by path. A path that only this actor knows of does not count. */
const BY_PATH = ["lstatSync", "statSync", "linkSync", "renameSync", "unlinkSync", "readFileSync", "writeFileSync"];
const real = { ...fs };
for (const name of BY_PATH) {
  fs[name] = (...args) => {
    const paths = args.slice(0, name === "linkSync" || name === "renameSync" ? 2 : 1);
    if (isShared(paths) && !paths.every((path) => OWN.test(String(path))))
      ask(`${name} ${paths.map(nameOf).join(" ")}`);
    else if (dead) throw new Killed("killed");
    return real[name](...args);
  };
}
fs.openSync = (path, flags, mode) => {
  if (isShared([path]) && !OWN.test(String(path)) && !isFolder(flags)) ask(`open ${nameOf(path)}`);
  else if (dead) throw new Killed("killed");
  return real.openSync(path, flags, mode);
};
for (const name of ["readSync", "writeSync", "ftruncateSync", "fchmodSync", "fchownSync"]) {
  fs[name] = (...args) => {
    if (dead) throw new Killed("killed");
    // Bytes of a file that has a name can be changed by others between two reads.
    if (name === "readSync") ask("read");
    return real[name](...args);
  };
}
fs.fsync = (_fd, done) => process.nextTick(done, dead ? new Killed("killed") : null);
fs.close = (fd, done) => {
  real.closeSync(fd);
  process.nextTick(done, null);
};
const readdirLater = fsPromises.readdir;
fsPromises.readdir = async (path, options) => {
  ask("readdir");
  return readdirLater(path, options);
};
timers.setTimeout = async () => ask("pause");
// What looks once more a little later looks when the source is closed: how long a schedule takes is no part of its order.
globalThis.setTimeout = () => ({
  unref() {
    return this;
  },
});
globalThis.clearTimeout = () => {};
syncBuiltinESMExports();

function isFolder(flags) {
  return typeof flags === "number" && (flags & fs.constants.O_DIRECTORY) !== 0;
}

const { openFileSource } = await import(sourceFile);
const { createMemoryJournal, journalledSource } = await import(memory);

const ACTS = {
  /** Adds a line to what is there, as often as others come first. */
  async append({ source }, { line }) {
    for (let tries = 0; tries < 12; tries++) {
      const found = await source.read("a.md");
      if (found === undefined) return { absent: true };
      try {
        await source.write("a.md", `${found.text}${line}\n`, { expected: found.version });
        return { base: found.text, text: `${found.text}${line}\n` };
      } catch (error) {
        if (error.code !== "conflict") throw error;
      }
    }
    return { refused: "conflict" };
  },
  async overwrite({ source }, { line }) {
    await source.write("a.md", `${line}\n`);
    return { text: `${line}\n` };
  },
  async create({ source }, { line }) {
    await source.write("a.md", `${line}\n`, { expected: null });
    return { text: `${line}\n` };
  },
  async remove({ source }) {
    const found = await source.read("a.md");
    if (found === undefined) return { absent: true };
    await source.remove("a.md", { expected: found.version });
    return { base: found.text };
  },
  async read({ source }) {
    return { seen: (await source.read("a.md"))?.text ?? null };
  },
  async list({ source }) {
    const paths = [];
    for await (const { path } of source.list("")) paths.push(path);
    return { listed: paths };
  },
  /** Two lines by one process at once. */
  async appendTwice(own, { line }) {
    const [one, two] = await Promise.all([
      ACTS.append(own, { line: `${line}1` }),
      ACTS.append(own, { line: `${line}2` }),
    ]);
    return { both: [one, two] };
  },
  /** A person's editor, which knows nothing of us. */
  async person(_own, { root, way, line }) {
    const path = `${root}/a.md`;
    if (way === "in-place") fs.writeFileSync(path, `${line}\n`);
    else if (way === "held-up") {
      const fd = fs.openSync(path, "r+");
      ask("write");
      real.ftruncateSync(fd, 0);
      real.writeSync(fd, `${line}\n`, 0);
      real.closeSync(fd);
    } else {
      real.writeFileSync(`${root}/a.md.swp`, `${line}\n`);
      fs.renameSync(`${root}/a.md.swp`, path);
    }
    return { text: `${line}\n` };
  },
};

port.on("message", async ({ root, locks, owner, act, opensInTurn = false }) => {
  dead = false;
  const warnings = [];
  const journal = createMemoryJournal();
  let result;
  let plain;
  try {
    watched = opensInTurn ? [root, locks] : undefined;
    const internals = { owner, lockFolder: () => locks };
    if (act.name !== "person") {
      plain = await openFileSource(
        { root, gitignore: false },
        { warn: (message) => warnings.push(message) },
        internals,
      );
    }
    const options = { mount: "file", owner: root, journal: async () => journal, warn: () => {} };
    const source = plain && journalledSource(plain, options);
    watched = [root, locks];
    ask("begin");
    result = await ACTS[act.name]({ source }, { ...act, root });
  } catch (error) {
    result = dead ? { killed: true } : { refused: error.code ?? "unknown", message: String(error.stack) };
  }
  try {
    if (plain !== undefined) ask("closing");
    await plain?.close();
  } catch (error) {
    if (!dead) result = { refused: "close", message: String(error) };
  }
  watched = undefined;
  const entries = await journal.history("file:///a.md", { owner: root, limit: 100 });
  port.postMessage({ result, warnings, entries });
  say(IDLE);
});
say(IDLE);
