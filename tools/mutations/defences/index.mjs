import { calls } from "./calls.mjs";
import { files } from "./files.mjs";
import { mcp } from "./mcp.mjs";
import { permission } from "./permission.mjs";
import { store } from "./store.mjs";

/** Every defence with the test that must fail without it. */
export const defences = [...files, ...calls, ...permission, ...mcp, ...store];
