/**
 * A host without a terminal: an HTTP server over one workspace, with everything that `openHost` brings. Clients call tools
 * and commands; what needs a person waits on a page until it is answered there.
 *
 *   node dist/second-host.js [FOLDER] [STORE]
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { openHost } from "@ikigai/host";

const [root = ".", store = "./state"] = process.argv.slice(2);
/** Calls that wait for a person, by a number that nobody can guess. */
const waiting = new Map<string, { what: string; answer: (approved: boolean) => void }>();

await using host = await openHost({
  root,
  store,
  warn: (message) => console.error(message),
  approve: ({ tool, verdicts, signal }) =>
    new Promise((resolve) => {
      const id = randomUUID();
      const answer = (approved: boolean): void => {
        waiting.delete(id);
        resolve({ approved, by: "the page" });
      };
      signal.addEventListener("abort", () => answer(false), { once: true });
      const what = verdicts.map(({ effect }) => `${effect.action} ${effect.target}`).join(", ");
      waiting.set(id, { what: `${tool}: ${what}`, answer });
    }),
});

// Each client has a conversation of its own, so that none overwrites what it has not seen. It names itself in a header that
// a web page of somebody else cannot send.
async function answer(request: IncomingMessage, gone: AbortSignal): Promise<unknown> {
  const client = request.headers["x-client"];
  if (client === undefined) throw new Error("Say who calls in the header x-client");
  const caller = { conversation: String(client), signal: gone };
  const given = JSON.parse((await text(request)) || "{}") as { name: string; arguments: unknown; line: string };
  if (request.url === "/call") return host.call({ name: given.name, arguments: given.arguments }, caller);
  if (request.url === "/command") return host.command(given.line, caller);
  throw new Error(`There is nothing at ${request.url}`);
}

function page(response: ServerResponse): void {
  const rows = [...waiting].map(
    ([id, { what }]) =>
      `<form method="post" action="/answer/${id}"><code>${escapeHtml(what)}</code>
       <button name="yes" formaction="/answer/${id}?yes">Allow</button> <button>Deny</button></form>`,
  );
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(`<!doctype html><title>Approvals</title>${rows.join("") || "Nothing waits."}`);
}

const server = createServer((request, response) => {
  const [, id = "", yes] = /^\/answer\/([^?]+)(\?yes)?$/.exec(request.url ?? "") ?? [];
  // A name that leads here by the DNS of somebody else is not ours.
  if (!/^127\.0\.0\.1:\d+$/.test(request.headers.host ?? "")) return void response.writeHead(403).end();
  if (request.url === "/") return page(response);
  if (request.method === "POST" && waiting.has(id)) {
    waiting.get(id)?.answer(yes !== undefined);
    return void response.writeHead(303, { location: "/" }).end();
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  answer(request, gone.signal).then(
    (envelope) => response.setHeader("content-type", "application/json").end(JSON.stringify(envelope)),
    (error: Error) => response.writeHead(400).end(error.message),
  );
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
await new Promise((resolve) => process.once("SIGTERM", resolve));
server.close();

function escapeHtml(given: string): string {
  return given.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
