// Imports one plugin in a process of its own and tells the parent how that went. The parent watches for exits and prints.
const [location] = process.argv.slice(2);
const SHARED = { Object, Array, Function, String, Number, Promise, Map, Set, RegExp, Error };
const LOOK_AGAIN_MS = 100;

const resources = () => process.getActiveResourcesInfo().toSorted();
const names = () =>
  Object.entries(SHARED).flatMap(([name, shared]) =>
    Reflect.ownKeys(shared.prototype).map((key) => `${name}.prototype.${String(key)}`),
  );
const send = process.send.bind(process);
const { stringify } = JSON;

const before = { resources: resources(), names: new Set(names()) };
try {
  await import(location);
  const added = names().filter((name) => !before.names.has(name));
  let left = extra(resources());
  if (left.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    left = extra(resources());
  }
  tell({ added, left });
} catch (error) {
  tell({ error: error instanceof Error ? error.message : String(error) });
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
  send(stringify(outcome), () => process.disconnect());
}
