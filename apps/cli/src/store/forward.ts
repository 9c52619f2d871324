/** An object whose methods, all asynchronous, wait for the one they stand for. */
export function forward<T extends object>(load: () => Promise<T>): T {
  return new Proxy({} as T, {
    get: (_, name) => {
      if (typeof name === "symbol" || name === "then") return undefined;
      return async (...args: unknown[]): Promise<unknown> => {
        const target = (await load()) as Record<string, (...args: unknown[]) => unknown>;
        return target[name]?.(...args);
      };
    },
  });
}
