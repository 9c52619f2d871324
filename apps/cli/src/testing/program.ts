import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the run has put the same built code in few files, which start in half of the time. */
const prepared = process.env["IKIGAI_TEST_PROGRAMS"];

/** The program as it was built and as it is published, of some six hundred files. */
export const BUILT_PROGRAM: string = fileURLToPath(new URL("../../bin/ikigai.js", import.meta.url));
const BUILT_AGENT = fileURLToPath(new URL("../../dist/screen/testing/mortal-agent.js", import.meta.url));

/** The program that tests start. */
export const PROGRAM: string = prepared === undefined ? BUILT_PROGRAM : join(prepared, "bin/ikigai.js");

/** One turn of a conversation in a process that is killed on the way. */
export const MORTAL_AGENT: string = prepared === undefined ? BUILT_AGENT : join(prepared, "mortal-agent.js");
