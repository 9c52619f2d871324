import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { ChatScreen, ScreenEvents } from "../screen/chat-screen.ts";
import { openPlainScreen } from "../screen/plain-screen.ts";
import { openRichScreen } from "../screen/rich-screen.ts";
import { createVirtualTerminal } from "./virtual-terminal.ts";

/** A screen of a conversation over streams, with what it shows. */
export interface OpenedScreen extends Disposable {
  readonly screen: ChatScreen;
  /** What the events told. */
  readonly heard: string[];
  /** Types, and waits until the keys are heard. */
  type(text: string): Promise<void>;
  shown(): string[];
  resize(columns: number): void;
}

const COLUMNS = 60;

/** Keys are heard and names are found in later turns of the loop. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A screen in a terminal of 60 columns. */
export function openRich(events: Partial<ScreenEvents> = {}): OpenedScreen {
  const input = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const terminal = createVirtualTerminal(COLUMNS);
  const output = Object.assign(new EventEmitter(), { columns: COLUMNS, write: (text: string) => terminal.write(text) });
  const heard: string[] = [];
  const screen = openRichScreen({
    input: input as never,
    output: output as never,
    colours: false,
    events: {
      onInterrupt: () => void heard.push("interrupt"),
      onUnfold: () => void heard.push("unfold"),
      findNames: async () => [],
      commands: () => [],
      ...events,
    },
  });
  return {
    screen,
    heard,
    shown: () => [...terminal.lines],
    async type(text) {
      input.write(text);
      await turns();
    },
    resize(columns) {
      output.columns = columns;
      output.emit("resize");
    },
    [Symbol.dispose]: () => screen[Symbol.dispose](),
  };
}

/** The same for a terminal that only has lines. */
export function openPlain(): OpenedScreen {
  const input = new PassThrough();
  const output = new PassThrough();
  const heard: string[] = [];
  const screen = openPlainScreen(input, output, { onInterrupt: () => void heard.push("interrupt") });
  let text = "";
  output.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return {
    screen,
    heard,
    shown: () => text.split("\n"),
    async type(typed) {
      input.write(typed);
      await turns();
    },
    resize: () => {},
    [Symbol.dispose]: () => screen[Symbol.dispose](),
  };
}
