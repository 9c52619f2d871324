import { expect, test } from "vitest";
import { waitingFiles } from "./waiting-files.ts";

const stateDirectory = "/state";
const of = (storeUrl?: string): ReturnType<typeof waitingFiles> =>
  waitingFiles({ stateDirectory, ...(storeUrl !== undefined && { storeUrl }) });

test("the embedded store and each server have files of their own", () => {
  const places = [of(), of("postgres://ana@one/db"), of("postgres://ana@two/db"), of("postgres://ana@one/other")];
  expect(places[0]).toEqual({
    auditFile: "/state/audit.jsonl",
    journalFile: "/state/journal.jsonl",
    folder: "/state/files",
  });
  expect(new Set(places.map(({ auditFile }) => auditFile)).size).toBe(4);
  expect(new Set(places.map(({ journalFile }) => journalFile)).size).toBe(4);
});

test.each([
  "postgres://ana:secret@one/db",
  "postgresql://ana:p@ss:word@one/db",
  "postgres://ana@one/db?password=secret",
])("a password does not matter: %s", (url) => {
  expect(of(url)).toEqual(of("postgres://ana@one/db"));
});

test("every part of a server's address but the password makes another spool file", () => {
  const port = of("postgres://ana:x@one:5433/db?password=y&schema=z");
  expect(port).toEqual(of("postgres://ana@one:5433/db?schema=z"));
  expect(port).not.toEqual(of("postgres://ana@one/db?schema=z"));
});
