// Adds a letter to one document again and again, each time against the version it saw.
import { sqliteSource } from "../../dist/index.js";

const [file, letter, times] = process.argv.slice(2);
const host = { mount: "db", signal: new AbortController().signal, services: {}, warn: () => {} };
const source = await sqliteSource.open({ file, busyMs: 10_000 }, host);
for (let done = 0; done < Number(times);) {
  const { text, version } = await source.read("a.md");
  try {
    await source.write("a.md", text + letter, { expected: version });
    done++;
  } catch (error) {
    if (error.code !== "conflict") throw error;
  }
}
await source.close();
