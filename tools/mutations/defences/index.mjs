import { bounds } from "./bounds.mjs";
import { calls } from "./calls.mjs";
import { files } from "./files.mjs";
import { keptTexts } from "./kept-texts.mjs";
import { mcp } from "./mcp.mjs";
import { permission } from "./permission.mjs";
import { persons } from "./persons.mjs";
import { processes } from "./processes.mjs";
import { redaction } from "./redaction.mjs";
import { store } from "./store.mjs";
import { trust } from "./trust.mjs";

/** Every defence with the test that must fail without it. */
export const defences = [
  ...files,
  ...calls,
  ...permission,
  ...trust,
  ...processes,
  ...redaction,
  ...mcp,
  ...store,
  ...bounds,
  ...keptTexts,
  ...persons,
];
