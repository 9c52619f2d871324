import { createServer } from "node:http";
import { once } from "node:events";

/** A proxy on loopback that lets nothing through and remembers which hosts were asked for. */
export async function openRefusingProxy() {
  const asked = new Set();
  const server = createServer((request, response) => {
    asked.add(hostOf(request));
    response.writeHead(403).end();
  });
  server.on("connect", (request, socket) => {
    asked.add(request.url);
    socket.on("error", () => {});
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const local = "127.0.0.1,localhost,::1";
  return {
    environment: {
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      ALL_PROXY: url,
      NO_PROXY: local,
      http_proxy: url,
      https_proxy: url,
      all_proxy: url,
      no_proxy: local,
      NODE_USE_ENV_PROXY: "1",
    },
    asked: () => [...asked].toSorted(),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function hostOf({ url, headers }) {
  return URL.canParse(url) ? new URL(url).host : (headers.host ?? "");
}
