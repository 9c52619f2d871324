// Preloaded by hops.mjs: lets every function of our own packages know its caller, across awaits, and writes the way to where a text is put in its place.
import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire, register, syncBuiltinESMExports } from "node:module";
import { writeFileSync } from "node:fs";
import { basename } from "node:path";

const { HOPS_TARGET: target, HOPS_FILE: file } = process.env;
const callers = new AsyncLocalStorage();
globalThis.__hop = (at, run) => callers.run({ at, from: callers.getStore() }, run);
register("./instrument.mjs", import.meta.url);

const fs = createRequire(import.meta.url)("node:fs");
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  if (basename(String(to)) === target) {
    const way = [];
    for (let call = callers.getStore(); call !== undefined; call = call.from) way.unshift(call.at);
    writeFileSync(file, JSON.stringify(way));
  }
  renameSync(from, to);
};
syncBuiltinESMExports();
