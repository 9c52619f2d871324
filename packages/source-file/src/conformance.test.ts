import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { testDataBlock, testDataStream } from "@ikigai/core/testing";
import { afterAll, describe, test } from "vitest";
import { fileChanges } from "./watch/file-changes.ts";
import { fileSource } from "./file-source.ts";

const base = mkdtempSync(`${tmpdir()}/source-file-suite-`);
afterAll(() => rmSync(base, { recursive: true }));

const options = async (): Promise<unknown> => ({ root: await mkdtemp(`${base}/`) });

describe("a folder as a source of text, which other programs change too", () => {
  testDataBlock({
    test,
    source: fileSource,
    options,
    async put({ root }: { root: string }, texts) {
      for (const [path, text] of Object.entries(texts)) {
        const file = join(root, path);
        await mkdir(dirname(file), { recursive: true });
        if (text === undefined) await rm(file);
        else {
          // The file is put in place in one step: a watcher that looks between two steps would rightly tell
          // of both.
          await writeFile(`${file}~`, text);
          await rename(`${file}~`, file);
        }
      }
    },
  });
});

describe("the changes of a folder as a stream", () => {
  let count = 0;
  testDataStream({
    test,
    source: fileChanges,
    options,
    async provoke({ root }: { root: string }, wanted) {
      for (let at = 0; at < wanted; at++) await writeFile(`${root}/${count++}.md`, "new");
    },
  });
});
