// Loaded before the program in tests: stops it for good at the moment that HOLD_AT names, and says so in HOLD_FILE.
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";

const [kind, text] = process.env["HOLD_AT"].split("|");

function hold() {
  fs.writeFileSync(process.env["HOLD_FILE"], String(process.pid));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

if (kind === "sql") {
  const { write } = Socket.prototype;
  Socket.prototype.write = function (data, ...rest) {
    if (Buffer.from(data).includes(text)) hold();
    return write.call(this, data, ...rest);
  };
} else {
  for (const [module, names] of [
    [fs, ["linkSync", "renameSync"]],
    [promises, ["link", "rename"]],
  ]) {
    for (const name of names) {
      const real = module[name];
      module[name] = (from, to) => {
        if (String(to).endsWith(text)) hold();
        return real(from, to);
      };
    }
  }
  syncBuiltinESMExports();
}
