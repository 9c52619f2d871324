import { afterAll, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";
import { interleaveEdits } from "./testing/interleaved-edits.ts";
import { connectOverHttp, connectOverStdio } from "./testing/official-client.ts";

const EDITS = 60;
const WITHIN_MS = 120_000;

afterAll(closeSharedStore);

test(
  "of edits that two clients of two servers make at once, every acknowledged one is there",
  async () => {
    const { root, store, close } = await openWorkspace();
    const args = ["--root", root, "--store", store, "mcp"];
    const stdio = await connectOverStdio(args);
    const http = await connectOverHttp(args);
    try {
      const { acknowledged, lost, refused } = await interleaveEdits([stdio, http.client], root, EDITS, 5);
      expect(lost).toEqual([]);
      expect([...refused.keys()].filter((code) => code !== "conflict")).toEqual([]);
      expect(acknowledged).toBeGreaterThan(EDITS / 2);
    } finally {
      await stdio.close();
      await http[Symbol.asyncDispose]();
      await close();
    }
  },
  WITHIN_MS,
);
