import type { Judge } from "./explore.ts";
import type { Outcome, Ran, Role, Scenario } from "./run-schedule.ts";

export interface Case {
  readonly what: string;
  readonly scenario: Scenario;
  readonly judge: Judge;
}

/** A case of which every order is tried. */
export interface SmallCase extends Case {
  /**
   * How many orders with two interruptions there are, a tenth left out: fewer mean that orders are skipped or that an actor ended
   * early. The number follows from how many calls each actor makes.
   */
  readonly leastOrders: number;
}

const INITIAL = "first\n";
const append = (line: string): Role => ({ act: { name: "append", line } });
const READER: Role = { act: { name: "read" } };
const LISTER: Role = { act: { name: "list" } };

/** Cases small enough for every order with a few interruptions. */
export const SMALL_CASES: readonly SmallCase[] = [
  ...[false, true].flatMap((contended): SmallCase[] => {
    const where = contended ? "where saves met lately" : "where nobody saved lately";
    const among = (
      what: string,
      roles: readonly Role[],
      judge: Judge,
      [quiet, busy]: readonly [number, number],
    ): SmallCase => ({
      what: `${what}, ${where}`,
      scenario: { initial: INITIAL, contended, roles },
      judge,
      leastOrders: contended ? busy : quiet,
    });
    return [
      among("two savers", [append("one"), append("two")], savers, [2_070, 1_660]),
      among("a saver and a reader", [append("one"), READER], savers, [360, 330]),
      among("a saver and a list", [append("one"), LISTER], savers, [378, 358]),
      among("a saver and a removal", [append("one"), { act: { name: "remove" } }], removal, [1_560, 1_380]),
      among(
        "a saver and an overwrite",
        [append("one"), { act: { name: "overwrite", line: "two" } }],
        overwrite,
        [2_060, 1_660],
      ),
    ];
  }),
  {
    what: "two creations",
    scenario: {
      contended: false,
      roles: [{ act: { name: "create", line: "one" } }, { act: { name: "create", line: "two" } }],
    },
    judge: creation,
    leastOrders: 455,
  },
  ...(
    [
      ["in-place", 89],
      ["rename", 89],
      ["held-up", 146],
    ] as const
  ).map(([way, leastOrders]) => ({
    what: `a saver and a person who saves ${way}, where saves met lately`,
    scenario: {
      initial: INITIAL,
      contended: true,
      roles: [append("one"), { act: { name: "person" as const, way, line: "person" } }],
    },
    judge: person,
    leastOrders,
  })),
];

/** Cases for which orders are drawn. */
export const LARGE_CASES: readonly Case[] = [
  {
    what: "three savers, one with two lines at once",
    scenario: {
      initial: INITIAL,
      contended: true,
      roles: [append("one"), append("two"), { act: { name: "appendTwice", line: "three" } }],
    },
    judge: savers,
  },
  {
    what: "three savers and a reader",
    scenario: { initial: INITIAL, contended: true, roles: [append("one"), append("two"), append("three"), READER] },
    judge: savers,
  },
  {
    what: "two savers, a reader and a list",
    scenario: { initial: INITIAL, contended: false, roles: [append("one"), append("two"), READER, LISTER] },
    judge: savers,
  },
  ...(["in-place", "rename"] as const).map((way) => ({
    what: `two savers, a reader and a person who saves ${way}`,
    scenario: {
      initial: INITIAL,
      contended: true,
      roles: [append("one"), append("two"), READER, { act: { name: "person" as const, way, line: "person" } }],
    },
    judge: person,
  })),
];

/** A saver and somebody who lists while the name of the file is absent: who goes on is known by what he is about to do. */
export const LIST_DURING_EXCHANGE: Case = {
  what: "a list that looks at a file in the moment in which its name is absent",
  scenario: { initial: INITIAL, contended: true, roles: [append("one"), LISTER] },
  judge: savers,
};

/** A saver that is killed at a system call, and those who come after it: two savers and a third one or a reader. */
export function killedCase(killedAt: number, contended: boolean, third: "saver" | "reader"): Case {
  return {
    what: `a saver killed at call ${killedAt}, two savers and a ${third} after it`,
    scenario: {
      initial: INITIAL,
      contended,
      roles: [
        { ...append("dead"), killedAt },
        { ...append("one"), opensInTurn: true },
        { ...append("two"), opensInTurn: true },
        third === "reader" ? READER : { ...append("three"), opensInTurn: true },
      ],
    },
    judge: savers,
  };
}

/** Every line that was acknowledged is there once, each change is made on the one before, and nothing of ours is left. */
function savers(ran: Ran): string[] {
  const text = ran.files.get("a.md");
  if (text === undefined) return ["the file is gone"];
  const acknowledged = changesOf(ran);
  const faults = [...leftOver(ran), ...unexpected(ran, [])];
  for (const line of acknowledged.map(addedLine)) {
    const count = text.split("\n").filter((one) => one === line).length;
    if (count !== 1) faults.push(`the acknowledged line ${line} is there ${count} times`);
  }
  const isDead = (line: string): boolean => line === "dead";
  const known = new Set(["first", "", ...acknowledged.map(addedLine)]);
  for (const line of text.split("\n")) if (!known.has(line) && !isDead(line)) faults.push(`nobody wrote ${line}`);
  const states = new Set([INITIAL, `${INITIAL}dead\n`, ...acknowledged.map(({ text: made = "" }) => made)]);
  for (const { base = "" } of acknowledged) if (!states.has(base)) faults.push(`no state was ${JSON.stringify(base)}`);
  for (const { seen, listed, absent } of ran.outcomes) {
    if (absent === true || seen === null) faults.push("the file was taken for absent");
    if (typeof seen === "string" && !states.has(seen)) faults.push(`a reader saw ${JSON.stringify(seen)}`);
    if (listed !== undefined && !listed.includes("a.md")) faults.push("a list left the file out");
  }
  return [...faults, ...journalFaults(ran)];
}

function removal(ran: Ran): string[] {
  const [saved, removed] = ran.outcomes as [Outcome, Outcome];
  const text = ran.files.get("a.md");
  const faults = [...leftOver(ran), ...unexpected(ran, ["conflict", "not_found"])];
  const isRemoved = removed.base !== undefined;
  if (isRemoved && text !== undefined) faults.push("what was removed is there");
  if (isRemoved && saved.text !== undefined && removed.base !== saved.text) faults.push("a save was removed unseen");
  if (!isRemoved && saved.text !== undefined && text !== saved.text) faults.push("the save is lost");
  if (!isRemoved && saved.text === undefined && text !== INITIAL) faults.push("the text is lost");
  return faults;
}

function overwrite(ran: Ran): string[] {
  const [saved, written] = ran.outcomes as [Outcome, Outcome];
  const text = ran.files.get("a.md") ?? "";
  const faults = [...leftOver(ran), ...unexpected(ran, [])];
  const ends = [written.text, `${written.text}one\n`];
  if (!ends.includes(text)) faults.push(`the end is ${JSON.stringify(text)}`);
  if (saved.base === written.text && text === written.text) faults.push("the save on top is lost");
  return faults;
}

function creation(ran: Ran): string[] {
  const made = ran.outcomes.filter(({ text }) => text !== undefined);
  const faults = [...leftOver(ran), ...unexpected(ran, ["conflict"])];
  if (made.length !== 1) faults.push(`${made.length} creations were acknowledged`);
  if (ran.files.get("a.md") !== made[0]?.text) faults.push("the created text is not there");
  return faults;
}

/** A person's text is in the file or in a copy, and so is what was saved on top of it. */
function person(ran: Ran): string[] {
  const faults = [...leftOver(ran), ...unexpected(ran, ["ENOENT", "conflict", "not_found"])];
  const everything = [...ran.files.values()].join("");
  const wrote = ran.outcomes.some(({ text }) => text === "person\n");
  if (wrote && wroteInTime(ran) && !everything.includes("person")) faults.push("the person's text is lost");
  for (const change of changesOf(ran)) {
    const onTop = change.base?.startsWith("person") === true;
    if (onTop && !everything.includes(addedLine(change))) faults.push(`${addedLine(change)} is lost`);
  }
  return faults;
}

/** Whether the person's last call came before every saver began to close: nobody looks at a file any more after that. */
function wroteInTime({ steps, outcomes }: Ran): boolean {
  const at = outcomes.findIndex(({ text }) => text === "person\n");
  const last = steps.findLastIndex(({ actor }) => actor === at);
  return last < steps.findIndex(({ what }) => what === "closing");
}

/** What the journal of an actor says was done is what was acknowledged, on the text that it replaced. */
function journalFaults({ outcomes, journals }: Ran): string[] {
  return outcomes.flatMap((outcome, at) => {
    if (outcome.killed === true) return [];
    const told = (journals[at] ?? []).map((entry) => `${entry.before?.text} → ${entry.after?.text} ${entry.state}`);
    const made = changesOf({ outcomes: [outcome] }).map(({ base, text }) => `${base} → ${text} done`);
    return told.toSorted().join() === made.toSorted().join() ? [] : [`the journal of ${at} says ${told.join("; ")}`];
  });
}

function changesOf({ outcomes }: Pick<Ran, "outcomes">): Outcome[] {
  return outcomes
    .flatMap((one) => one.both ?? [one])
    .filter(({ base, text }) => base !== undefined && text !== undefined);
}

function addedLine({ base = "", text = "" }: Outcome): string {
  return text.slice(base.length).trimEnd();
}

function leftOver({ files, locks, outcomes }: Ran): string[] {
  // What a killed one left in its own folder of locks goes when somebody wants that lock.
  const hasDead = outcomes.some(({ killed }) => killed === true);
  return [
    ...[...files.keys()].filter((name) => name.startsWith(".ikigai~")).map((name) => `${name} is left`),
    ...(hasDead ? [] : locks.map((name) => `the lock ${name} is left`)),
  ];
}

function unexpected({ outcomes }: Ran, expected: readonly string[]): string[] {
  return outcomes
    .flatMap((one) => one.both ?? [one])
    .flatMap(({ refused, message }) =>
      refused === undefined || expected.includes(refused) ? [] : [`refused: ${refused} ${message ?? ""}`],
    );
}
