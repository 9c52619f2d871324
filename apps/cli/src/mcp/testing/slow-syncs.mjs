// Preloaded into a server under test: each sync of a file or folder takes up to 30 ms longer, so that the calls between which another process may act
// stand far apart.
import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";

const LONGEST_MS = 30;

const handle = await open(fileURLToPath(import.meta.url));
const methods = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ["sync", "datasync"]) {
  const sync = methods[name];
  methods[name] = async function slowSync(...args) {
    await wait(Math.random() * LONGEST_MS);
    const done = await sync.apply(this, args);
    await wait(Math.random() * LONGEST_MS);
    return done;
  };
}
