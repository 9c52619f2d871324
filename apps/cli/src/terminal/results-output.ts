type Write = typeof process.stdout.write;

let original: Write | undefined;

/**
 * Keeps standard output for results: what anybody else prints, such as a plugin with `console.log`, goes to standard error.
 *
 * Contract: covers `console` and `process.stdout.write`; {@link writeResult} still writes there. Whoever writes to file
 * descriptor 1 itself is not held back.
 */
export function reserveStdout(): void {
  if (original !== undefined) return;
  original = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

/** Gives standard output back, for one who guards it by other means. */
export function releaseStdout(): void {
  if (original !== undefined) process.stdout.write = original;
  original = undefined;
}

/** Writes to standard output, also while it is reserved. */
export function writeResult(text: string): void {
  if (original === undefined) process.stdout.write(text);
  else original(text);
}
