#!/usr/bin/env node
import { main } from "../dist/main.js";

// Whoever reads our output may stop reading; that is no fault, and nothing more can be said to them.
const GONE_MS = 1_000;
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  setTimeout(() => process.exit(), GONE_MS).unref();
});

process.exitCode = await main(process.argv.slice(2));

// A plugin may leave something running that nobody can stop; the result must not wait for it.
const LINGER_MS = 2_000;
setInterval(() => {
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
}, LINGER_MS).unref();
