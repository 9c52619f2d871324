import { type Layout, layoutInput } from "../line/layout-input.ts";
import { escapeText } from "../text/escape-text.ts";
import { cutToWidth } from "../text/text-width.ts";
import type { Input, Question } from "./input-state.ts";
import type { Painter } from "./painter.ts";

const PROMPT = "> ";
const MOST_ROWS = 10;
/** Rows of a message that are shown once it is sent. */
const MOST_SENT_ROWS = 40;
const STILL_TYPING = "(Esc, then a key answers)";

/** Paints what is going on, what is typed or asked, what is offered and the status. */
export function paintInput(
  { state, style, columns, pastes, submissions, suggestions }: Omit<Input, "session">,
  painter: Painter,
): void {
  const { question, search, status } = state;
  const width = columns() - 1;
  const asksLine = question !== undefined && question.choice === undefined;
  const prompt = asksLine ? question.text : search?.prompt;
  const asked = question?.choice === undefined ? undefined : layoutChoice(question, columns());
  const typed =
    asked !== undefined && question?.typing !== true
      ? { rows: [], row: asked.row - asked.rows.length, column: asked.column }
      : layoutInput(prompt ?? style.bold(PROMPT), search?.buffer ?? state.buffer, columns(), MOST_ROWS, pastes.shown);
  const above = [...state.live, ...queuedRows({ style, pastes, submissions }, width), ...(asked?.rows ?? [])];
  const offered = suggestions.items.map((item, index) => {
    const row = cutToWidth(`  ${escapeText(item)}`, width);
    return index === suggestions.selected ? style.inverse(row) : style.dim(row);
  });
  const below = status === "" || question !== undefined ? [] : [style.dim(cutToWidth(status, width))];
  painter.paint({
    rows: [...above, ...typed.rows, ...offered, ...below],
    row: above.length + typed.row,
    column: typed.column,
  });
}

/** What was sent during a turn and waits for its end. */
function queuedRows(
  { style, pastes, submissions }: Pick<Input, "style" | "pastes" | "submissions">,
  width: number,
): string[] {
  const { queued } = submissions;
  return queued.map((sent, index) => {
    const how = index === queued.length - 1 ? " (↑ takes it back)" : "";
    const line = cutToWidth(`queued: ${escapeText(pastes.describe(pastes.restore(sent)))}`, width - how.length);
    return style.dim(`${line}${how}`);
  });
}

function layoutChoice({ text, typing, hint }: Question, columns: number): Layout {
  const said = typing === true ? `${text}${STILL_TYPING}` : `${hint === undefined ? "" : `${hint}\n`}${text}`;
  return layoutInput("", { text: said, cursor: said.length }, columns, MOST_ROWS);
}

/** Leaves what is sent now in the lines that stay. */
export function echoSent({ style, columns, pastes, session }: Input, text: string): void {
  const { rows } = layoutInput(style.bold(PROMPT), { text, cursor: 0 }, columns(), MOST_SENT_ROWS + 1, pastes.shown);
  const rest = rows.length > MOST_SENT_ROWS ? [style.dim("  … the rest is sent and not shown")] : [];
  session.print([...rows.slice(0, MOST_SENT_ROWS), ...rest].join("\n"));
}
