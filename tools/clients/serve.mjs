// Starts the built `ikigai mcp` in this process, with the environment of a laboratory's place, and writes down its id.
// Clients pass on environments each in their own way; a folder as the one argument reaches all of them.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const place = process.argv[2];
const { env, args } = JSON.parse(readFileSync(join(place, "server.json"), "utf8"));
appendFileSync(join(place, "servers"), `${process.pid}\n`);
Object.assign(process.env, env);
const program = fileURLToPath(new URL("../../apps/cli/bin/ikigai.js", import.meta.url));
process.argv.splice(1, process.argv.length - 1, program, ...args);
await import(program);
