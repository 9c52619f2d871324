import { readFileSync } from "node:fs";

/** One turn of a conversation, as it is stored. */
export interface Turn {
  readonly id: string;
  readonly session: string;
  readonly order: number;
  readonly occurredAt?: Date;
  readonly content: string;
}

export interface Question {
  readonly text: string;
  readonly category: string;
  readonly evidence: ReadonlySet<string>;
}

export interface Conversation {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly questions: readonly Question[];
}

const CATEGORIES = ["", "multi-hop", "temporal", "open domain", "single-hop", "adversarial"];

interface RawTurn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
}

interface RawConversation {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, string | readonly RawTurn[]>>;
  readonly qa: readonly { question: string; category: number; evidence?: readonly string[] }[];
}

/** Reads a LoCoMo file. Questions without evidence that names a turn are left out. */
export function readLocomo(file: string): readonly Conversation[] {
  const parsed = JSON.parse(readFileSync(file, "utf8")) as RawConversation | readonly RawConversation[];
  const raw = Array.isArray(parsed) ? (parsed as readonly RawConversation[]) : [parsed as RawConversation];
  return raw.map(({ sample_id: name, conversation, qa }) => {
    const turns = sessionsOf(conversation);
    const ids = new Set(turns.map(({ id }) => id));
    const questions = qa.map(({ question, category, evidence = [] }): Question => {
      const named = evidence.flatMap((one) => one.split(/[;,\s]+/)).filter((one) => ids.has(one));
      return { text: question, category: CATEGORIES[category] ?? String(category), evidence: new Set(named) };
    });
    return { name, turns, questions: questions.filter(({ evidence }) => evidence.size > 0) };
  });
}

function sessionsOf(conversation: RawConversation["conversation"]): readonly Turn[] {
  const names = Object.keys(conversation).filter((name) => /^session_\d+$/.test(name));
  names.sort((a, b) => Number(a.slice(8)) - Number(b.slice(8)));
  return names.flatMap((session) => {
    const occurredAt = momentOf(conversation[`${session}_date_time`]);
    return (conversation[session] as readonly RawTurn[]).map(
      ({ dia_id: id, speaker, text, blip_caption: caption }, order): Turn => ({
        id,
        session,
        order,
        ...(occurredAt !== undefined && { occurredAt }),
        content: `${speaker}: ${text}${caption === undefined ? "" : ` [${caption}]`}`,
      }),
    );
  });
}

/** `1:56 pm on 8 May, 2023`. Contract: absent when the session has no such date. */
function momentOf(text: unknown): Date | undefined {
  const match = /(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d+)/i.exec(typeof text === "string" ? text : "");
  if (match === null) return undefined;
  const [, hour, minute, half = "", day, month, year] = match;
  const date = new Date(`${day} ${month} ${year} ${Number(hour) % 12}:${minute} UTC`);
  if (Number.isNaN(date.getTime())) return undefined;
  return half.toLowerCase() === "pm" ? new Date(date.getTime() + 12 * 3_600_000) : date;
}
