import { escapeText, type Style, wrapProse } from "@ikigai/terminal";
import type { Terminal } from "../terminal/terminal.ts";
import type { ChatScreen } from "@ikigai/terminal/screen";

/** The screen of a conversation as the terminal of a host, so that it warns and asks there. */
export function toTerminal(screen: ChatScreen, style: Style): Terminal {
  const say = (line: string): void => screen.print(escapeText(line));
  const prose = (line: string): string => wrapProse(escapeText(line), screen.columns);
  return {
    print: say,
    printRaw: say,
    note: (line) => screen.print(prose(line)),
    show: (text) => screen.print(text),
    colours: screen.colours,
    complain: (line) => screen.print(style.yellow(prose(line))),
    interactive: true,
    get columns() {
      return screen.columns;
    },
    ask: (question, signal) => screen.ask(escapeText(question), signal),
    choose: (choice, signal) => screen.choose(choice, signal),
    readInput: async () => "",
  };
}
