import type { LoroDoc, LoroList, LoroMap, LoroText } from "loro-crdt/base64";

/*
 * A container in JavaScript keeps its whole document in memory until it is freed, and the collector, which does not see
 * that memory, comes late. So containers are used in here only.
 */

export function inText<Result>(doc: LoroDoc, name: string, use: (text: LoroText) => Result): Result {
  return freeing(doc.getText(name), use);
}

export function inList<Result>(doc: LoroDoc, name: string, use: (list: LoroList) => Result): Result {
  return freeing(doc.getList(name), use);
}

export function inMap<Result>(doc: LoroDoc, name: string, use: (map: LoroMap) => Result): Result {
  return freeing(doc.getMap(name), use);
}

function freeing<Container extends { free(): void }, Result>(
  container: Container,
  use: (container: Container) => Result,
): Result {
  try {
    return use(container);
  } finally {
    container.free();
  }
}
