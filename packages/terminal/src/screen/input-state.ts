import type { KeyEditor } from "../keys/edit-keys.ts";
import type { InputHistory } from "../line/input-history.ts";
import type { LineBuffer } from "../line/line-buffer.ts";
import type { Pastes } from "../line/pastes.ts";
import type { HistorySearch } from "../line/search-history.ts";
import type { Choice } from "../text/choice.ts";
import type { Style } from "../text/style.ts";
import type { ScreenEvents, Submissions } from "./chat-screen.ts";
import type { Suggestions } from "./suggestions.ts";
import type { TerminalSession } from "./terminal-session.ts";

/** A question that is open. */
export interface Question {
  readonly text: string;
  /** What was being typed when it came, given back when it is gone. */
  kept: LineBuffer;
  /** Its keys, when one of them answers it. */
  readonly choice?: Choice;
  /** Whether keys still go to what was being typed, until Enter sends it or Escape leaves it. */
  typing?: boolean;
  /** Said of the last key, which was none of its own. */
  hint?: string;
  answer(text: string | undefined): void;
}

/** What is typed and asked at the moment. */
export interface InputState {
  buffer: LineBuffer;
  /** Rows above the input. */
  live: readonly string[];
  /** The line below the input. */
  status: string;
  question: Question | undefined;
  /** Whether questions are answered with nothing. */
  refusing: boolean;
  /** The search through what was sent, while it is open. */
  search: HistorySearch | undefined;
  isAfterCtrlX: boolean;
}

/** What the input of a screen is made of. Its parts change {@link InputState} and then paint. */
export interface Input {
  readonly state: InputState;
  readonly style: Style;
  readonly events: ScreenEvents;
  readonly submissions: Submissions;
  readonly pastes: Pastes;
  readonly editor: KeyEditor;
  readonly history: InputHistory;
  readonly suggestions: Suggestions;
  readonly session: TerminalSession;
  columns(): number;
  paint(): void;
  /** Takes another text, looks for what fits it, and paints. */
  change(next: LineBuffer): void;
}
