/**
 * Text of a source inside a prompt, with its address and version.
 *
 * Contract: nothing in `text` can close the fence, since the fence is longer than any run of backticks in it; the
 * address cannot break out of its line.
 */
export function fence(text: string, source: string, version: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const ticks = "`".repeat(longest + 1);
  return `${ticks}text address=${JSON.stringify(source)} version=${JSON.stringify(version)}\n${text}\n${ticks}`;
}
