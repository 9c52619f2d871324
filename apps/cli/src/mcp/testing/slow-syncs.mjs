// Preloaded into a server under test: each sync of a file or folder takes up to 60 ms longer, so that the calls between
// which another process may act stand far apart. A byte for each is added to the file that SLOW_SYNCS names.
import fs from "node:fs";
import { open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";

const LONGEST_MS = 30;
const counted = process.env["SLOW_SYNCS"];

async function slowly(sync) {
  if (counted !== undefined) fs.appendFileSync(counted, ".");
  await wait(Math.random() * LONGEST_MS);
  const done = await sync();
  await wait(Math.random() * LONGEST_MS);
  return done;
}

for (const name of ["fsync", "fdatasync"]) {
  const sync = fs[name];
  fs[name] = (fd, done) => {
    const synced = slowly(
      () => new Promise((resolve, reject) => sync(fd, (error) => (error ? reject(error) : resolve()))),
    );
    void synced.then(() => done(null), done);
  };
}
syncBuiltinESMExports();

const handle = await open(fileURLToPath(import.meta.url));
const methods = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ["sync", "datasync"]) {
  const sync = methods[name];
  methods[name] = function slowSync(...args) {
    return slowly(() => sync.apply(this, args));
  };
}
