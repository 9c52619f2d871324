/**
 * A source with some of its methods replaced, for a host that puts something around it.
 *
 * Contract: everything else is the source's own and runs on the source itself, also when it is an instance of a class with
 * private fields; the source stays as it is. A copy by spreading has all of it too.
 */
export function overrideSource<S extends object>(source: S, methods: Partial<S>): S {
  const result = {};
  for (const owner of ownersOf(source)) {
    for (const key of Reflect.ownKeys(owner)) {
      if (key === "constructor" || Object.hasOwn(result, key)) continue;
      const value: unknown = Reflect.get(source, key);
      Object.defineProperty(result, key, {
        configurable: true,
        enumerable: true,
        ...(typeof value === "function"
          ? { value: value.bind(source) as unknown, writable: true }
          : { get: () => Reflect.get(source, key) }),
      });
    }
  }
  for (const [key, value] of Object.entries(methods)) {
    Object.defineProperty(result, key, { configurable: true, enumerable: true, writable: true, value });
  }
  return result as S;
}

/** The source and the classes that it is made of, the nearest first. */
function ownersOf(source: object): object[] {
  const owners: object[] = [];
  for (let owner: object | null = source; owner !== null && owner !== Object.prototype;) {
    owners.push(owner);
    owner = Object.getPrototypeOf(owner) as object | null;
  }
  return owners;
}
