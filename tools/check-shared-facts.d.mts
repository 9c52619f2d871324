export function copiesOf(
  files: readonly (readonly [file: string, text: string])[],
): { fact: string; home: string; found: string[] }[];
export function productFiles(): [file: string, text: string][];
