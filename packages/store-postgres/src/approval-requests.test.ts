import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { storeMigrations } from "./index.ts";
import { createApprovalRequests } from "./approval-requests.ts";

const asked = { agent: "ann", tool: "file_write", person: "partner", question: "create file:///a" };

describe.each(testEngines())("questions on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("wait until the first answer, which counts", async () => {
    const requests = createApprovalRequests(await engine.fresh({ sets: [storeMigrations] }));
    const first = await requests.add({ ...asked, waitMs: 60_000 });
    const second = await requests.add({ ...asked, operation: "x", waitMs: 60_000 });
    expect(await requests.pending()).toMatchObject([
      { ...asked, id: first },
      { id: second, operation: "x" },
    ]);
    expect(await requests.answerTo(first)).toBeUndefined();
    await requests.answer(first, { approved: true, by: "bob" });
    await requests.answer(second, { approved: false, by: "bob", reason: "no" });
    await expect(requests.answer(first, { approved: false, by: "eve" })).rejects.toMatchObject({ code: "not_found" });
    expect(await requests.answerTo(first)).toEqual({ approved: true, by: "bob" });
    expect(await requests.answerTo(second)).toEqual({ approved: false, by: "bob", reason: "no" });
    expect(await requests.pending()).toEqual([]);
  });

  test("cannot be answered when they are too old or were taken back", async () => {
    const requests = createApprovalRequests(await engine.fresh({ sets: [storeMigrations] }));
    const old = await requests.add({ ...asked, waitMs: 0 });
    const withdrawn = await requests.add({ ...asked, waitMs: 60_000 });
    await requests.withdraw(withdrawn);
    expect(await requests.pending()).toEqual([]);
    for (const id of [old, withdrawn, "none"]) {
      await expect(requests.answer(id, { approved: true, by: "bob" })).rejects.toMatchObject({ code: "not_found" });
    }
  });
});
