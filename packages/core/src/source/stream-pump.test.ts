import { expect, test } from "vitest";
import { IkigaiError } from "../errors.ts";
import type { DataStream, StreamEvent } from "./source.ts";
import { startStreamPump, type StreamPump } from "./stream-pump.ts";
import { createMemoryFeed, emit, type MemoryFeed, memoryStream } from "../testing/memory-stream.ts";

const host = { mount: "m", signal: new AbortController().signal, services: {}, warn: () => {} };

interface Rig {
  readonly feed: MemoryFeed;
  readonly pump: StreamPump;
  readonly heard: string[];
  readonly failures: unknown[];
  /** Makes one event happen and waits until the pump has had its chance. */
  readonly happen: (text: string) => Promise<void>;
}

async function rig(
  options: { replay?: boolean; keep?: number; onEvent?: (event: StreamEvent) => void } = {},
): Promise<Rig> {
  const feed = createMemoryFeed();
  const stream = await memoryStream.open({ feed }, host);
  const heard: string[] = [];
  const failures: unknown[] = [];
  const pump = startStreamPump(stream, {
    replay: options.replay ?? true,
    keep: options.keep ?? 100,
    onEvent(event) {
      heard.push(event.text);
      options.onEvent?.(event);
    },
    onFailure: (error) => void failures.push(error),
  });
  const happen = async (text: string): Promise<void> => {
    emit(feed, text);
    await settle();
  };
  return { feed, pump, heard, failures, happen };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function texts(pump: StreamPump, options?: Parameters<StreamPump["pull"]>[0]): string[] {
  return pump.pull(options).events.map(({ text }) => text);
}

test("events of a stream reach listeners in order and are kept to be pulled", async () => {
  const { pump, heard, happen } = await rig();
  for (const text of ["a", "b", "c"]) await happen(text);
  expect(heard).toEqual(["a", "b", "c"]);
  expect(texts(pump)).toEqual(["a", "b", "c"]);
  expect(texts(pump, { after: "1" })).toEqual(["b", "c"]);
  expect(texts(pump, { after: "1", limit: 1 })).toEqual(["b"]);
  expect(texts(pump, { after: "3" })).toEqual([]);
  expect(pump).toMatchObject({ state: "running", lastCursor: "3" });
  await pump.stop();
});

test("a stream's buffer drops its oldest events when it is full, and counts them", async () => {
  const { pump, happen } = await rig({ keep: 2 });
  for (const text of ["a", "b", "c", "d"]) await happen(text);
  expect(pump.pull()).toMatchObject({ missed: 2, events: [{ text: "c" }, { text: "d" }] });
  expect(pump.pull({ after: "1" })).toMatchObject({ missed: 2 });
  expect(pump.pull({ after: "3" })).toMatchObject({ missed: 0, events: [{ text: "d" }] });
  await pump.stop();
});

test("a stream's buffer of size 0 still keeps the newest event", async () => {
  const { pump, heard, happen } = await rig({ keep: 0 });
  await happen("a");
  expect(heard).toEqual(["a"]);
  await pump.stop();
});

test.each([true, false])("with replay %s, a pause loses nothing and tells nothing", async (replay) => {
  const { pump, heard, happen } = await rig({ replay });
  await happen("a");
  pump.pause();
  pump.pause();
  expect(pump.state).toBe("paused");
  for (const text of ["b", "c"]) await happen(text);
  expect(heard).toEqual(["a"]);
  pump.resume();
  pump.resume();
  await settle();
  expect(heard).toEqual(["a", "b", "c"]);
  await happen("d");
  expect(heard).toEqual(["a", "b", "c", "d"]);
  expect(pump.state).toBe("running");
  await pump.stop();
});

test("while paused, a stream with replay is not read and one without is", async () => {
  const [lazy, eager] = [await rig({ replay: true }), await rig({ replay: false })];
  for (const { pump, happen } of [lazy, eager]) {
    await happen("a");
    pump.pause();
    await happen("b");
  }
  expect([lazy.pump.lastCursor, eager.pump.lastCursor]).toEqual(["1", "2"]);
  await Promise.all([lazy.pump.stop(), eager.pump.stop()]);
});

test("quick changes between pause and resume neither repeat nor lose an event", async () => {
  const { pump, heard, happen } = await rig();
  await happen("a");
  for (let round = 0; round < 5; round++) {
    pump.pause();
    pump.resume();
  }
  await happen("b");
  await settle();
  expect(heard).toEqual(["a", "b"]);
  await pump.stop();
});

test("a listener may pause the stream, and hears the rest after resume", async () => {
  const paused: { pump?: StreamPump } = {};
  const { pump, heard, happen } = await rig({
    replay: false,
    onEvent: ({ text }) => {
      if (text === "b") paused.pump?.pause();
    },
  });
  paused.pump = pump;
  pump.pause();
  for (const text of ["a", "b", "c"]) await happen(text);
  pump.resume();
  expect(heard).toEqual(["a", "b"]);
  pump.resume();
  expect(heard).toEqual(["a", "b", "c"]);
  await pump.stop();
});

test.each([[[]], [["before"]]])("an event on its way when the pause comes is not lost, after %j", async (before) => {
  const { feed, pump, heard, happen } = await rig();
  for (const text of before) await happen(text);
  emit(feed, "a");
  pump.pause();
  await settle();
  for (const text of ["b", "c"]) await happen(text);
  expect(heard).toEqual(before);
  pump.resume();
  await settle();
  expect(heard).toEqual([...before, "a", "b", "c"]);
  await pump.stop();
});

test("an event that comes after the pause is not taken, so that replay brings it again", async () => {
  const asked: (string | undefined)[] = [];
  const release: (() => void)[] = [];
  const pump = pumped({
    async *events({ after }) {
      asked.push(after);
      for (let at = Number(after ?? 0) + 1; ; at++) {
        yield { cursor: String(at), at: new Date(), text: String(at) };
        await new Promise<void>((resolve) => release.push(resolve));
      }
    },
  });
  await settle();
  pump.pause();
  release.shift()?.();
  await settle();
  expect(pump.lastCursor).toBe("1");
  pump.resume();
  await settle();
  expect([asked, pump.lastCursor]).toEqual([[undefined, "1"], "2"]);
});

function pumped(stream: DataStream, failures: unknown[] = []): StreamPump {
  return startStreamPump(stream, {
    replay: true,
    keep: 1,
    onEvent: () => {},
    onFailure: (error) => void failures.push(error),
  });
}

test("a stream that ends says so, and is not begun again", async () => {
  let begun = 0;
  const pump = pumped({
    async *events() {
      begun++;
      yield { cursor: "1", at: new Date(), text: "only" };
    },
  });
  await settle();
  expect(pump.state).toBe("ended");
  pump.pause();
  pump.resume();
  await pump.stop();
  expect([pump.state, begun]).toEqual(["ended", 1]);
});

test("a stream that fails keeps what ended it and tells", async () => {
  const failures: unknown[] = [];
  const error = new Error("connection lost");
  const pump = pumped({ events: () => failing(error) }, failures);
  await settle();
  expect(pump).toMatchObject({ state: "failed", failure: error });
  expect(failures).toEqual([error]);
  await pump.stop();
});

test("an error that a stream throws because it was stopped is no failure", async () => {
  const failures: unknown[] = [];
  const pump = pumped(
    {
      async *events({ signal }) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        yield* failing(new Error("aborted"));
      },
    },
    failures,
  );
  await pump.stop();
  expect([pump.state, failures]).toEqual(["running", []]);
});

async function* failing(error: Error): AsyncGenerator<StreamEvent> {
  yield* [];
  throw error;
}

test("a stream that an earlier host read goes on behind its cursor", async () => {
  const feed = createMemoryFeed();
  for (const text of ["a", "b", "c"]) emit(feed, text);
  const stream = await memoryStream.open({ feed }, host);
  const heard: string[] = [];
  const pump = startStreamPump(stream, {
    replay: true,
    after: "2",
    keep: 10,
    onEvent: ({ text }) => void heard.push(text),
    onFailure: () => {},
  });
  await settle();
  expect(heard).toEqual(["c"]);
  expect(pump.pull({ after: "2" })).toMatchObject({ missed: 0, events: [{ text: "c" }] });
  await pump.stop();
});

test.each([
  ["a cursor it does not know is read from where it begins", "invalid_input", "running", 1],
  ["a fault of another kind has failed and keeps its place", "unavailable", "failed", 0],
] as const)("a stream with %s", async (_, code, state, count) => {
  const unknown: unknown[] = [];
  const stream: DataStream = {
    async *events({ signal, after }) {
      if (after !== undefined) throw new IkigaiError(code, "no such place");
      yield { cursor: "1", at: new Date(0), text: "a" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  const pump = startStreamPump(stream, {
    replay: true,
    after: "gone",
    onUnknownCursor: (error) => void unknown.push(error),
    keep: 10,
    onEvent: () => {},
    onFailure: () => {},
  });
  await settle();
  expect(pump.state).toBe(state);
  expect([unknown.length, pump.pull().events.length]).toEqual([count, count]);
  await pump.stop();
});
