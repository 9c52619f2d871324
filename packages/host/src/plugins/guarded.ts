/** What a plugin did that it should not, while it was watched. */
export interface Misdeeds {
  readonly found: string[];
}

/**
 * Runs a plugin's own code in this process, so that it can neither end it nor print to standard output, and takes back
 * what it added to `Object.prototype`.
 *
 * Contract: settles with `work`, or rejects when the time is over; `misdeeds` then says what was prevented.
 */
export async function guarded<T>(timeoutMs: number, misdeeds: Misdeeds, work: () => Promise<T>): Promise<T> {
  const known = new Set(Reflect.ownKeys(Object.prototype));
  const { exit } = process;
  const write = process.stdout.write;
  process.exit = (code) => {
    misdeeds.found.push(`it tried to end the process (exit code ${code ?? 0})`);
    throw new Error("A plugin must not end the process");
  };
  process.stdout.write = (chunk: unknown) => {
    misdeeds.found.push(`it prints to standard output (${JSON.stringify(String(chunk).slice(0, 40))})`);
    return true;
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not finish within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
    process.exit = exit;
    process.stdout.write = write;
    for (const key of Reflect.ownKeys(Object.prototype)) {
      if (known.has(key)) continue;
      misdeeds.found.push(`it changes what all code shares (Object.prototype.${String(key)})`);
      Reflect.deleteProperty(Object.prototype, key);
    }
  }
}
