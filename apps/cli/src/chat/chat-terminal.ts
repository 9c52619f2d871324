import { escapeText, type Terminal } from "../terminal.ts";
import type { ChatScreen } from "./screen/chat-screen.ts";
import type { Style } from "./screen/style.ts";

/** The screen of a conversation as the terminal of a host, so that it warns and asks there. */
export function toTerminal(screen: ChatScreen, style: Style): Terminal {
  const say = (line: string): void => screen.print(escapeText(line));
  return {
    print: say,
    printRaw: say,
    note: say,
    show: (text) => screen.print(text),
    colours: screen.colours,
    complain: (line) => screen.print(style.yellow(escapeText(line))),
    interactive: true,
    get columns() {
      return screen.columns;
    },
    ask: (question, signal) => screen.ask(escapeText(question), signal),
    choose: (choice, signal) => screen.choose(choice, signal),
    readInput: async () => "",
  };
}
