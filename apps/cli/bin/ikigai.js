#!/usr/bin/env node
import { main } from "../dist/main.js";

process.exitCode = await main(process.argv.slice(2));

// A plugin may leave something running that nobody can stop; the result must not wait for it.
const LINGER_MS = 2_000;
setInterval(() => {
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
}, LINGER_MS).unref();
