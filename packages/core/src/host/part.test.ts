import { expect, test } from "vitest";
import { memoryOptions } from "../testing/memory-source.ts";
import { definePart, PART_CONTRACT } from "./part.ts";

test("a part is defined with the version of the contract that it was written for", () => {
  const options = memoryOptions<{ folder?: string }>("folder");
  const open = async () => ({});
  expect(definePart({ name: "outline", options, needs: ["blocks"], open })).toEqual({
    kind: "part",
    contract: PART_CONTRACT,
    name: "outline",
    options,
    needs: ["blocks"],
    open,
  });
});
