import { readFileSync } from "node:fs";
import { join } from "node:path";
import { declarationsOfAll } from "./declarations.mjs";

const ENTRIES = [...doorsOf("packages/core"), ...doorsOf("packages/host")];

/** Every entry point of a package, with the file of its declarations. */
function doorsOf(folder) {
  const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.entries(exports)
    .filter(([, { types }]) => types !== undefined)
    .map(([door, { types }]) => [join(name, door), join(folder, types)]);
}

/** The page of the contracts: every public name of core and host, and the types that they name, with comment and declaration. */
export function contractsPage() {
  const found = declarationsOfAll(ENTRIES.map(([, index]) => index));
  const sections = ENTRIES.map(([entry], at) => {
    const names = found[at].map(({ name, comment, text }) =>
      [`### ${name}`, comment, `\`\`\`ts declaration\n${text}\n\`\`\``].filter(Boolean).join("\n\n"),
    );
    return `## ${entry}\n\n${names.join("\n\n")}`;
  });
  return `# Contracts

What \`@ikigai/core\` (for authors of sources and tools), \`@ikigai/core/host\` (for whoever assembles a host or writes a part), its other doors and \`@ikigai/host\` with all of its doors offer, as the compiler sees it, and the types that these name. A paragraph that begins with \`Contract:\` is what may be
relied on within a major version. [Write a source](../write-a-source.md) is the introduction.

${sections.join("\n\n")}
`;
}
