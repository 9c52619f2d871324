import type { Terminal } from "../terminal/terminal.ts";

/** A terminal at which nobody is, and of which nothing is kept. */
export const silentTerminal: Terminal = {
  print: () => {},
  printRaw: () => {},
  note: () => {},
  show: () => {},
  colours: false,
  complain: () => {},
  interactive: false,
  ask: async () => "",
  choose: async () => undefined,
  readInput: async () => "",
};
