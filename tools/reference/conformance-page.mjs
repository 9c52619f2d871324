import { readFileSync } from "node:fs";

const TABLE = new URL("../../packages/core/src/testing/mutants/killed-by.json", import.meta.url);

/** The page of the wrong sources: what the conformance suite notices, and by which of its cases. */
export function conformancePage() {
  const table = JSON.parse(readFileSync(TABLE, "utf8"));
  const count = Object.values(table).reduce((sum, sources) => sum + Object.keys(sources).length, 0);
  const sections = Object.entries(table).map(([group, sources]) => {
    const rows = Object.entries(sources).map(
      ([name, cases]) => `| ${name} | ${cases.map((one) => `\`${one}\``).join(", ")} |`,
    );
    return `## ${group}\n\n| what is wrong | the case that fails |\n| --- | --- |\n${rows.join("\n")}`;
  });
  return `# What the conformance suite notices

The suite of \`@ikigai/core/testing\` is itself tested by sources that are wrong on purpose: the reference source with one mistake each. Each of these
${count} must fail the case that stands beside it, and each case must fail for at least one of them. [Write a source](../write-a-source.md) says how to run the suite.

${sections.join("\n\n")}
`;
}
