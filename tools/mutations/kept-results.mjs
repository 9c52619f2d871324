// Results of an earlier run, so that one that was interrupted goes on where it was.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Contract: a result counts for as long as the row, the file that it patches and the file of its test are what they were when the run began. */
export function openResults(root, defences) {
  const file = join(root, "node_modules", ".ikigai", "mutations.json");
  const load = () => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});
  const kept = load();
  const keyOf = (defence) => {
    const texts = [defence.file, defence.test].map((path) => readFileSync(join(root, path), "utf8"));
    return createHash("sha256")
      .update(JSON.stringify([defence, ...texts]))
      .digest("hex");
  };
  const keys = new Map(defences.map((defence) => [defence, keyOf(defence)]));
  return {
    get: (defence) => kept[keys.get(defence)],
    set(defence, result) {
      kept[keys.get(defence)] = result;
      // Another run may have shown other rows meanwhile.
      Object.assign(kept, { ...load(), ...kept });
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(kept));
    },
  };
}
