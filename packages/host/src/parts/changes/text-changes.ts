/** Who hears that a text changed through a tool or a command. */
export interface TextChanges {
  /** Tells everybody of the address. */
  readonly changed: (address: string) => void;
  /** Dispose to hear no more. */
  readonly onTextChange: (listener: (address: string) => void) => Disposable;
}

export function createTextChanges(): TextChanges {
  const listeners = new Set<(address: string) => void>();
  return {
    changed: (address) => listeners.forEach((listener) => listener(address)),
    onTextChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}
