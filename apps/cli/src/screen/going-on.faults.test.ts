import { afterAll, beforeAll, expect, test } from "vitest";
import { type GoneOn, type Grave, openGrave } from "./testing/die-and-go-on.ts";

let grave: Grave;

beforeAll(async () => {
  process.env["ANTHROPIC_API_KEY"] = "scripted";
  grave = await openGrave();
});
afterAll(async () => {
  delete process.env["ANTHROPIC_API_KEY"];
  await grave[Symbol.asyncDispose]();
});

const MOST_POINTS = 200;
const RANDOM_DEATHS = 30;
const LONGEST_LIFE_MS = 1_500;

/** What must hold whenever it died. */
function assertWhole({ refused, answers, stamps }: GoneOn): void {
  expect(refused).toEqual([]);
  for (const answer of answers) expect(answer).toContain("whole again");
  expect(stamps.length).toBeLessThanOrEqual(1);
}

test("killed at every single point of a turn, a conversation goes on and nothing is run twice", async () => {
  let points = 0;
  for (let point = 1; point <= MOST_POINTS; point++) {
    const gone = await grave.dieAndGoOn({ point });
    assertWhole(gone);
    if (!gone.killed) break;
    points = point;
  }
  expect(points).toBeGreaterThan(30);
  expect(points).toBeLessThan(MOST_POINTS);
}, 1_200_000);

test("killed at any moment, a conversation goes on and nothing is run twice", async () => {
  let killed = 0;
  for (let death = 0; death < RANDOM_DEATHS; death++) {
    const gone = await grave.dieAndGoOn({ afterMs: Math.random() * LONGEST_LIFE_MS });
    assertWhole(gone);
    if (gone.killed) killed++;
  }
  expect(killed).toBeGreaterThan(0);
}, 1_200_000);
