import { expect, test } from "vitest";
import { z } from "zod";
import { overrideSource } from "./override-source.ts";
import { createSourceManager } from "./source-manager.ts";
import { type TextContent, defineDataBlock } from "./source.ts";

class Base {
  readonly #texts = new Map([["a", "one"]]);
  calls = 0;
  async read(path: string): Promise<TextContent | undefined> {
    this.calls += 1;
    const text = this.#texts.get(path);
    return text === undefined ? undefined : { text, version: text };
  }
  async write(path: string, text: string): Promise<TextContent> {
    this.#texts.set(path, text);
    return { text, version: text };
  }
}

class ClassSource extends Base {
  async *list(prefix: string): AsyncGenerator<{ path: string }> {
    if ("a".startsWith(prefix)) yield { path: "a" };
  }
}

test("an instance of a class keeps its inherited methods and private fields", async () => {
  const source = new ClassSource();
  const written: string[] = [];
  const wrapped = overrideSource(source, {
    async write(path: string, text: string) {
      written.push(path);
      return source.write(path, text);
    },
  });
  await wrapped.write("a", "two");
  expect(await wrapped.read("a")).toMatchObject({ text: "two" });
  expect(await wrapped.list("").next()).toMatchObject({ value: { path: "a" } });
  const copy: typeof wrapped = Object.assign({}, wrapped);
  expect([wrapped.calls, copy.calls, written]).toEqual([1, 1, ["a"]]);
  expect(Object.keys(copy).toSorted()).toEqual(["calls", "list", "read", "write"]);
});

test("a source's own tools are given what the host puts around the source", async () => {
  const seen: object[] = [];
  const decorated: object[] = [];
  const sources = createSourceManager({
    decorate(source) {
      const wrapped = overrideSource(source, {});
      decorated.push(wrapped);
      return wrapped;
    },
  });
  const definition = defineDataBlock({
    name: "class",
    capabilities: ["write"],
    options: z.object({}),
    open: async () => new ClassSource(),
    tools(source) {
      seen.push(source);
      return [];
    },
  });
  await sources.mount({ mount: "m", source: definition });
  expect(seen).toEqual(decorated);
  expect(seen[0]).toBe(decorated[0]);
  expect(sources.route("m:///a").source).toBe(decorated[0]);
  await sources.close();
});
