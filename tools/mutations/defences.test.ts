import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { defences } from "./defences/index.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const textOf = (file: string): string => readFileSync(`${root}${file}`, "utf8");

test("every line that the mutation table takes out stands exactly once in its file", () => {
  const lost = defences.filter(
    ({ file, old }) => !existsSync(`${root}${file}`) || textOf(file).split(old).length !== 2,
  );
  expect(lost.map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
});

test("every test that the mutation table names exists, by a part of its title", () => {
  const lost = defences.filter(({ test: file, title = "" }) => {
    if (!existsSync(`${root}${file}`)) return true;
    const text = textOf(file);
    return !title.split("|").some((part) => text.includes(part));
  });
  expect(lost.map(({ name, test: file, title }) => `${name}: ${file}: ${title}`)).toEqual([]);
});

test("no two rows of the mutation table have one name, and every patch changes something", () => {
  expect(new Set(defences.map(({ name }) => name)).size).toBe(defences.length);
  expect(defences.filter((one) => one.old === one.new)).toEqual([]);
});
