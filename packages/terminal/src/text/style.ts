/** Colours, or none. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  italic(text: string): string;
  cyan(text: string): string;
  green(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  inverse(text: string): string;
}

/** Contract: with `colours` false every text comes back as it is. */
export function createStyle(colours: boolean): Style {
  const wrap = (open: number, close: number) => (text: string) =>
    colours && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    bold: wrap(1, 22),
    dim: wrap(2, 22),
    italic: wrap(3, 23),
    cyan: wrap(36, 39),
    green: wrap(32, 39),
    red: wrap(31, 39),
    yellow: wrap(33, 39),
    inverse: wrap(7, 27),
  };
}
