export function copiesOf(
  files: readonly (readonly [file: string, text: string])[],
): { fact: string; home: string | undefined; found: string[] }[];
export function productFiles(): [file: string, text: string][];
