/** Answers while what is stood for is not there yet. */
interface Meanwhile {
  readonly isThere: () => Promise<boolean>;
  readonly empty: object;
}

type Methods = Record<string, ((...args: unknown[]) => unknown) | undefined>;

/**
 * An object whose methods, all asynchronous, wait for the one they stand for.
 *
 * Contract: with `meanwhile`, what `empty` can answer loads nothing as long as there is nothing to load.
 */
export function forward<T extends object>(load: () => Promise<T>, meanwhile?: Meanwhile): T {
  return new Proxy({} as T, {
    get: (_, name) => {
      if (typeof name === "symbol" || name === "then") return undefined;
      return async (...args: unknown[]): Promise<unknown> => {
        const answer = (meanwhile?.empty as Methods | undefined)?.[name];
        if (answer !== undefined && meanwhile !== undefined && !(await meanwhile.isThere())) return answer(...args);
        return ((await load()) as Methods)[name]?.(...args);
      };
    },
  });
}
