#!/usr/bin/env node
import { main } from "../dist/main.js";

// Whoever reads our output may stop reading; that is no fault.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
});
process.exitCode = await main(process.argv.slice(2));
