// Imports one plugin in a process of its own, and opens and closes it when the parent gives options: in a message, since
// arguments can be read by everybody. Tells the parent how that went; the parent watches for exits, prints and the time.
import { createRequire } from "node:module";
import { chooseExport } from "../dist/plugins/choose-export.js";

const [location] = process.argv.slice(2);
const { trial, held } = JSON.parse(await new Promise((resolve) => process.once("message", resolve)));
/** Loaded before anything of the plugin is, and before it is watched what the plugin leaves behind. */
const { openPartAlone } = trial?.wanted === "part" ? await import("../dist/plugins/open-part-alone.js") : {};
// What was judged is what is probed, or nothing.
if (held !== undefined) createRequire(import.meta.url)("./hold-trusted.cjs").hold(held);
const SHARED = { Object, Array, Function, String, Number, Promise, Map, Set, RegExp, Error };
const LOOK_AGAIN_MS = 100;
const LOOKS = 10;
/** What was just started does not show before it has begun. */
const BEGUN_MS = 20;

const resources = () => process.getActiveResourcesInfo().toSorted();
const names = () =>
  Object.entries(SHARED).flatMap(([name, shared]) =>
    Reflect.ownKeys(shared.prototype).map((key) => `${name}.prototype.${String(key)}`),
  );
const send = process.send.bind(process);
const { stringify } = JSON;
const { setTimeout: later } = globalThis;

const before = { resources: resources(), names: new Set(names()) };
try {
  const loaded = await import(location);
  const imported = await look(1);
  tell(imported);
  if (trial !== undefined && imported.added.length + imported.left.length === 0) {
    await openAndClose(loaded, trial);
    await new Promise((resolve) => later(resolve, BEGUN_MS));
    tell({ opened: true, ...(await look(LOOKS)) });
  }
} catch (error) {
  tell({ error: error instanceof Error ? error.message : String(error) });
}
send(stringify({ done: true }), () => process.disconnect());

/** A plugin that cannot be opened here is opened by the host, which says why. */
async function openAndClose(loaded, { wanted, mount, root, options, exportName }) {
  const { definition } = chooseExport("", loaded, { wanted, exportName });
  if (definition === undefined) return;
  const stop = new AbortController();
  try {
    if (wanted === "part") return await openPartAlone(definition, options, root);
    const checked = await definition.options["~standard"].validate(options);
    if (checked.issues !== undefined) return;
    const opened = await definition.open(checked.value, { mount, signal: stop.signal, services: {}, warn: () => {} });
    stop.abort();
    await opened.close?.();
  } catch {
    stop.abort();
  }
}

/** What was added to what all code shares, and what keeps the process alive, looking again before it is said. */
async function look(times) {
  const added = names().filter((name) => !before.names.has(name));
  let left = extra(resources());
  for (let look = 0; look < times && left.length > 0; look++) {
    await new Promise((resolve) => later(resolve, LOOK_AGAIN_MS));
    left = extra(resources());
  }
  return { added, left };
}

function extra(now) {
  const rest = [...before.resources];
  return now.filter((name) => {
    const at = rest.indexOf(name);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}

function tell(outcome) {
  send(stringify(outcome));
}
