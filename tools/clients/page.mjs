import { CHECKS } from "./checks.mjs";

const WORDS = { ok: "ok", fails: "**fails**", limit: "client" };

/** The page of a run: a table of all clients and checks, then what stands behind each cell that says more than ok. */
export function clientsPage(rows) {
  return `# Clients

What real clients show their model of \`ikigai mcp\`. This page is written by \`npm run test:clients\`, which installs each client from the
registry, starts it against a scripted model on this machine, and looks at what the model received. See
[how to connect one](how-to/use-from-an-mcp-client.md).

${table(rows)}

\`ok\`: the model received it. \`client\`: the client itself cannot, for the reason below. **fails**: it should work and does not.

| column | what the model must receive |
| --- | --- |
| tools | \`file_read\`, \`file_write\`, \`file_edit\`, \`grep\`, \`glob\` and \`recall\`, each with a description |
| 7 kB result | the whole text of a file of 7 kB in one answer |
| 200 kB result | the text of a file of 200 kB, or what is needed to read on until its last line |
| conflict | after a person changed a file that was read: the code \`conflict\`, the path, and what to do |
| over_budget | for a text beyond the budget: the code \`over_budget\` and the numbers |
| approval | for a path that only a person can allow: the refusal in words; or, where the client can ask, the result after its yes |
| list change | a tool that came while the conversation ran |
| killed server | after the server was killed: words or a new server, and everything written before is there |

## Notes

${rows.map(notes).join("\n\n")}
`;
}

function table(rows) {
  const lines = rows.map(({ client, version, protocol, absent, checks }) => {
    const cells = CHECKS.map((check) => WORDS[checks.get(check)?.state] ?? "–");
    return [client.title, version, absent === undefined ? protocol : "not installed", ...cells];
  });
  const head = ["client", "version", "protocol", ...CHECKS];
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function notes({ client, version, absent, checks, asked = [] }) {
  const said = CHECKS.filter((check) => checks.has(check) && checks.get(check).note !== "");
  const lines = said.map((check) => `- ${check}: ${plain(checks.get(check).note)}`);
  if (absent !== undefined) lines.push(`- ${plain(absent)}`);
  if (client.remark !== undefined) lines.push(`- ${client.remark}`);
  if (asked.length > 0)
    lines.push("- with every switch for that off it still tried to reach other machines, and was refused");
  return `### ${client.title} ${version}\n\n${lines.join("\n")}`;
}

/** Text of a client as one line that Markdown leaves alone. */
function plain(text) {
  return text.replaceAll(/([<>[\]*_|`\\])/g, "\\$1");
}
