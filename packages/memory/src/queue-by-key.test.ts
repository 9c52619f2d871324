import { expect, test } from "vitest";
import { createQueueByKey } from "./queue-by-key.ts";

test("work on one key runs in order, also behind a failure, and does not wait for other keys", async () => {
  const turns = createQueueByKey();
  const queue = async (key: string, work: () => Promise<void>): Promise<void> => {
    using _turn = await turns.enter(key);
    await work();
  };
  const order: string[] = [];
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = queue("a", async () => {
    await gate;
    order.push("a1");
    throw new Error("a1 fails");
  });
  const second = queue("a", async () => void order.push("a2"));
  await queue("b", async () => void order.push("b1"));
  open();
  await expect(first).rejects.toThrow("a1 fails");
  await second;
  await queue("a", async () => void order.push("a3"));
  expect(order).toEqual(["b1", "a1", "a2", "a3"]);
});
