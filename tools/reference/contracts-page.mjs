import { declarationsOf } from "./declarations.mjs";

const ENTRIES = [
  ["@ikigai/core", "packages/core/dist/index.d.ts"],
  ["@ikigai/core/host", "packages/core/dist/host/index.d.ts"],
  ["@ikigai/core/process", "packages/core/dist/process/index.d.ts"],
  ["@ikigai/core/redact", "packages/core/dist/redact/index.d.ts"],
  ["@ikigai/core/text", "packages/core/dist/text/index.d.ts"],
  ["@ikigai/core/testing", "packages/core/dist/testing/index.d.ts"],
  ["@ikigai/host", "packages/host/dist/index.d.ts"],
  ["@ikigai/host/testing", "packages/host/dist/testing/index.d.ts"],
];

/** The page of the contracts: every public name of core, with its comment and its type. */
export function contractsPage() {
  const sections = ENTRIES.map(([entry, index]) => {
    const names = declarationsOf(index).map(({ name, comment, text }) =>
      [`### ${name}`, comment, `\`\`\`ts declaration\n${text}\n\`\`\``].filter(Boolean).join("\n\n"),
    );
    return `## ${entry}\n\n${names.join("\n\n")}`;
  });
  return `# Contracts

What \`@ikigai/core\` (for authors of sources and tools), \`@ikigai/core/host\` (for whoever assembles a host or writes a part), its other doors and \`@ikigai/host\` offer, as the compiler sees it. A paragraph that begins with \`Contract:\` is what may be
relied on within a major version. [Write a source](../write-a-source.md) is the introduction.

${sections.join("\n\n")}
`;
}
