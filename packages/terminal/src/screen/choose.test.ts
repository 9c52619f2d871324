import { expect, test } from "vitest";
import { openPlain, openRich, turns } from "../testing/open-screens.ts";

const CHOICE = { question: "Allow it?", keys: { y: "once", n: "no" } };

test("one key answers without Enter, in either case, and the question leaves one line", async () => {
  using opened = openRich();
  const { screen, type, shown } = opened;
  const asked = screen.choose(CHOICE);
  expect(shown()).toEqual(["Allow it? [y] once  [n] no:"]);
  await type("Y");
  expect(await asked).toBe("y");
  expect(shown()).toEqual(["Allow it? y (once)", ">"]);
});

test("an unknown key, Enter and a paste ask again", async () => {
  using opened = openRich();
  const { screen, type, shown } = opened;
  const asked = screen.choose(CHOICE);
  await type("q");
  expect(shown()).toEqual(['"q" is none of y and n.', "Allow it? [y] once  [n] no:"]);
  await type("\r");
  await type("\u001b[200~y\u001b[201~");
  expect(shown()).toEqual(["That is none of y and n.", "Allow it? [y] once  [n] no:"]);
  await type("n");
  expect(await asked).toBe("n");
});

test("a question that is taken away disappears, and a late key is typed and answers nothing", async () => {
  using opened = openRich();
  const { screen, type, shown } = opened;
  const expiry = new AbortController();
  const asked = screen.choose(CHOICE, expiry.signal);
  expiry.abort();
  expect(await asked).toBeUndefined();
  expect(shown()).toEqual([">"]);
  await type("y");
  expect(shown()).toEqual(["> y"]);
  const next = screen.choose(CHOICE);
  await type("n");
  expect(shown()).toEqual(["Allow it? [y] once  [n] no: (Esc, then a key answers)", "> yn"]);
  await type("\u0003");
  expect(await next).toBeUndefined();
  expect(opened.heard).toEqual(["interrupt"]);
});

test("what somebody was typing goes on, and Enter sends it before a key answers", async () => {
  using opened = openRich();
  const { screen, type, shown } = opened;
  await type("hello ");
  const asked = screen.choose(CHOICE);
  await type("yes\r");
  expect((await screen.next())?.text).toBe("hello yes");
  expect(shown().at(-1)).toBe("Allow it? [y] once  [n] no:");
  await type("y");
  expect(await asked).toBe("y");
  expect(shown().at(-1)).toBe(">");
});

test("two questions come one after the other, and a line is given back as it was", async () => {
  using opened = openRich();
  const { screen, type, shown } = opened;
  const first = screen.choose(CHOICE);
  const second = screen.choose({ question: "Trust it?", keys: { y: "yes", n: "no" } });
  const line = screen.ask("Why? ");
  expect(shown()).toEqual(["Allow it? [y] once  [n] no:"]);
  await type("y");
  expect(await first).toBe("y");
  await turns();
  expect(shown().at(-1)).toBe("Trust it? [y] yes  [n] no:");
  await type("\u0004");
  expect(await second).toBeUndefined();
  await turns();
  await type("because\r");
  expect(await line).toBe("because");
});

test("without raw mode a line answers, any other asks again, and a late line is no message", async () => {
  using opened = openPlain();
  const { screen, type, shown } = opened;
  const asked = screen.choose(CHOICE);
  await type("maybe\n");
  await type("\n");
  await type("Yes\n");
  expect(await asked).toBe("y");
  expect(shown().join("\n")).toContain('"maybe" is none of y and n.\nAllow it?');
  const expiry = new AbortController();
  const late = screen.choose(CHOICE, expiry.signal);
  expiry.abort();
  expect(await late).toBeUndefined();
  await type("y\n");
  await type("a message\n");
  expect((await screen.next())?.text).toBe("a message");
  expect(shown().join("\n")).toContain('The question is gone: "y" answered nothing.');
});
