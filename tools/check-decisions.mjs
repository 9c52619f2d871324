// Every decision record has a date, a status and a line in the index, and every number that is mentioned anywhere exists or is said to have ended.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = "docs/decisions";
const STATUS = /^\d{4}-\d{2}-\d{2}(?:, amended \d{4}-\d{2}-\d{2})? · holds$/;
const MENTION = /(?:\[|decisions? |decisions\/)(0\d{3})\b(-[a-z0-9-]+\.md)?/gi;
const TOP_FOLDERS = [".changeset", "apps", "bench", "docs", "examples", "packages", "tools"];
const TOP_FILES = ["CONTRIBUTING.md", "README.md", "SECURITY.md"];
const GENERATED = /^(?:node_modules|dist|coverage|results|fixtures|\.turbo)$/;
const TEXT = /\.(?:md|ts|tsx|mts|cts|js|mjs|cjs|json|yml|sql)$/;

/** One sentence for each record that lacks its title, date or status, or its row in the index. */
export function findRecordProblems(records, index) {
  const problems = [];
  const listed = index.split("\n").flatMap((line) => rowOf(line) ?? []);
  const rows = new Map(listed.map((row) => [row.file, row]));
  for (const [at, { file }] of listed.entries())
    if (listed.findIndex((row) => row.file === file) !== at)
      problems.push(`${file}: has two rows in ${FOLDER}/README.md`);
  for (const [file, text] of records) {
    const [title, , status] = text.split("\n");
    const row = rows.get(file);
    const start = `# ${file.slice(0, 4)} `;
    if (!title.startsWith(start)) problems.push(`${file}: the title must begin with "${start}"`);
    if (!STATUS.test(status)) problems.push(`${file}: the third line must be "YYYY-MM-DD · holds"`);
    if (row === undefined) problems.push(`${file}: has no row in ${FOLDER}/README.md`);
    else if (`# ${row.title}` !== title) problems.push(`${file}: the index calls it "${row.title}"`);
    else if (!status.startsWith(row.date)) problems.push(`${file}: the index has the date ${row.date}`);
  }
  const numbers = records.map(([file]) => file.slice(0, 4));
  const twice = numbers.filter((number, at) => numbers.indexOf(number) !== at);
  for (const number of twice) problems.push(`${number}: two records have this number`);
  for (const number of endedNumbers(index))
    if (numbers.includes(number)) problems.push(`${number}: is a record and has ended`);
  return problems;
}

/** One sentence for each mention of a number or file that is neither a record nor ended. */
export function findMentionProblems(texts, recordFiles, index) {
  const known = new Set([...recordFiles.map((file) => file.slice(0, 4)), ...endedNumbers(index)]);
  const problems = [];
  for (const [path, text] of texts) {
    for (const [, number, rest] of text.matchAll(MENTION)) {
      if (!known.has(number)) problems.push(`${path}: there is no decision ${number}`);
      else if (rest && !recordFiles.includes(number + rest))
        problems.push(`${path}: there is no record ${number + rest}`);
    }
  }
  return problems;
}

function rowOf(line) {
  const [, title, file, date] =
    /^\| \[(0\d{3} .+?)\]\((0\d{3}-[a-z0-9-]+\.md)\)\s*\|.+\| (\d{4}-\d{2}-\d{2}) \| holds\s*\|$/.exec(line) ?? [];
  return title === undefined ? undefined : { title, file, date };
}

function endedNumbers(index) {
  const table = index.split("## Ended numbers")[1] ?? "";
  return [...table.matchAll(/^\| (0\d{3}(?:, 0\d{3})*)\s*\|/gm)].flatMap(([, numbers]) => numbers.split(", "));
}

function textFilesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return GENERATED.test(entry.name) ? [] : textFilesBelow(path);
    return entry.isFile() && TEXT.test(entry.name) ? [path] : [];
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = readdirSync(FOLDER).filter((file) => /^0\d{3}-.*\.md$/.test(file));
  const index = readFileSync(join(FOLDER, "README.md"), "utf8");
  const readable = [...TOP_FILES, ...TOP_FOLDERS.flatMap((folder) => textFilesBelow(folder))];
  const records = files.map((file) => [file, readFileSync(join(FOLDER, file), "utf8")]);
  const texts = readable.map((path) => [path, readFileSync(path, "utf8")]);
  const problems = [...findRecordProblems(records, index), ...findMentionProblems(texts, files, index)];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
