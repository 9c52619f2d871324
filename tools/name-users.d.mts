type Files = readonly (readonly [file: string, text: string])[];
export function usingFiles(): [file: string, text: string][];
export function idleNames(names: Readonly<Record<string, readonly string[]>>, files: Files): Record<string, string[]>;
