import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { isErrno } from "../file-errors.ts";
import { lockFolder } from "./lock-folder.ts";
import { currentOwner, ownerState } from "./owner.ts";
import { createPathLock, type PathLock } from "./path-lock.ts";
import { deadOwner } from "../testing/faulty-ops.ts";
import { codeOf } from "../testing/workspace.ts";

const folder = (): string => {
  const path = mkdtempSync(`${tmpdir()}/source-file-locks-`);
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
};
const never = new Promise<never>(() => {});

/** Does `work` while it has the file. */
async function hold<Result>(
  lock: PathLock,
  path: string,
  work: (interrupted: boolean) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  using held = await lock.enter(path, signal);
  return await work(held.interrupted);
}

test("the lock of a path is given to one at a time, in the order of asking", async () => {
  const lock = createPathLock({ folder: folder(), owner: currentOwner() });
  const order: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
  };
  await Promise.all([hold(lock, "/a", work("one")), hold(lock, "/a", work("two"))]);
  expect(order).toEqual(["one begins", "one ends", "two begins", "two ends"]);
});

test("a second name that is just being written is not swept, and one that stayed unreadable is", async () => {
  const place = folder();
  const half = `${place}/${"a".repeat(32)}.${"b".repeat(12)}`;
  writeFileSync(half, "");
  const lock = createPathLock({ folder: place, owner: currentOwner() });
  lock.interruptedPaths("/");
  expect(readdirSync(place)).toHaveLength(1);
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(half, longAgo, longAgo);
  lock.interruptedPaths("/");
  expect(readdirSync(place)).toEqual([]);
});

test("a failure of the work releases the lock of its file", async () => {
  const lock = createPathLock({ folder: folder(), owner: currentOwner() });
  await expect(hold(lock, "/a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await hold(lock, "/a", (interrupted) => Promise.resolve(interrupted))).toBe(false);
});

test("a lock of a live process is waited for, and its holder named when it takes too long", async () => {
  const shared = folder();
  const one = createPathLock({ folder: shared, owner: currentOwner() });
  const other = createPathLock({ folder: shared, owner: currentOwner(), waitMs: 30 });
  let finish = (): void => {};
  const holding = new Promise<void>((resolve) => (finish = resolve));
  const held = hold(one, "/a", () => holding);
  await expect(hold(other, "/a", () => never)).rejects.toThrow(`held by process ${process.pid} for more than 30 ms`);
  expect(await codeOf(hold(other, "/a", () => never, AbortSignal.abort()))).toBe("aborted");
  expect(other.isLocked("/a")).toBe(true);
  expect(other.isLocked("/b")).toBe(false);
  const waiting = hold(other, "/a", () => Promise.resolve("mine"));
  finish();
  await held;
  expect(await waiting).toBe("mine");
});

test("a lock of a dead process is free, and the next holder is told of it", async () => {
  const shared = folder();
  await dieHolding(shared, "/root/a");
  const lock = createPathLock({ folder: shared, owner: currentOwner() });
  expect(lock.isLocked("/root/a")).toBe(true);
  expect(await hold(lock, "/root/a", (interrupted) => Promise.resolve(interrupted))).toBe(true);
  expect(readdirSync(shared)).toEqual([]);
});

test("locks of dead processes below a root are listed until somebody takes them", async () => {
  const shared = folder();
  await dieHolding(shared, "/root/a");
  await dieHolding(shared, "/rooted/b");
  const lock = createPathLock({ folder: shared, owner: currentOwner() });
  writeFileSync(`${shared}/garbage`, "not a lock");
  expect(lock.interruptedPaths("/root")).toEqual(["/root/a"]);
  expect(await hold(lock, "/root/a", (interrupted) => Promise.resolve(interrupted))).toBe(true);
  expect(lock.interruptedPaths("/root")).toEqual([]);
  expect(lock.interruptedPaths("/")).toEqual(["/rooted/b"]);
});

test("a lock of another machine is respected for a minute", async () => {
  const shared = folder();
  await dieHolding(shared, "/a", { ...deadOwner(), place: "00000000" });
  const lock = createPathLock({ folder: shared, owner: currentOwner(), waitMs: 10 });
  expect(await codeOf(hold(lock, "/a", () => never))).toBe("unavailable");
  const past = new Date(Date.now() - 61_000);
  for (const name of readdirSync(shared)) utimesSync(`${shared}/${name}`, past, past);
  expect(await hold(lock, "/a", () => Promise.resolve("free"))).toBe("free");
});

test("a lock that cannot be given up is told and does not fail the work", async () => {
  const warnings: string[] = [];
  const lock = createPathLock({
    folder: folder(),
    owner: currentOwner(),
    unlink: () => {
      throw new Error("no");
    },
    warn: (message) => void warnings.push(message),
  });
  expect(await hold(lock, "/a", () => Promise.resolve("done"))).toBe("done");
  expect(warnings.join()).toContain("could not give up");
});

test("a process is told from a later one with its number", () => {
  expect(ownerState(currentOwner())).toBe("alive");
  expect(ownerState({ ...currentOwner(), start: "1" })).toBe("dead");
  expect(ownerState(deadOwner())).toBe("dead");
  expect(ownerState({ ...currentOwner(), place: "00000000" })).toBe("elsewhere");
  expect(ownerState({ ...currentOwner(), pid: 1 })).toBe("dead");
});

test.runIf(existsSync("/proc/self/stat"))("a process that has ended and was not reaped counts as dead", async () => {
  // The child ends once its parent is a program that reaps nobody.
  const child = "until grep -q sleep /proc/$PPID/comm; do :; done";
  const parent = spawn("sh", ["-c", `sh -c '${child}' & echo $!; exec sleep 60`], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill());
  const [said] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(String(said).trim());
  const stat = (): string[] => {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  };
  await expect.poll(() => stat()[0], { timeout: 20_000 }).toBe("Z");
  expect(ownerState({ ...currentOwner(), pid, start: stat()[19] ?? "" })).toBe("dead");
});

test("the lock folder is private, or it is not used", () => {
  const shared = folder();
  const path = lockFolder({ shared });
  expect(lockFolder({ shared })).toBe(path);
  chmodSync(path, 0o777);
  expect(() => lockFolder({ shared })).toThrow(`${path} is not a private folder of this user (it is open to others)`);
  const linked = folder();
  mkdirSync(`${linked}/elsewhere`);
  symlinkSync("elsewhere", path.replace(shared, linked));
  expect(() => lockFolder({ shared: linked })).toThrow("it is a link");
  expect(() => lockFolder({ shared: "/no/such/folder" })).toThrow(
    expect.toSatisfy((error) => isErrno(error, "ENOENT")) as never,
  );
});

test.runIf(process.getuid?.() === 0)("another user who takes the shared place first keeps nobody from locking", () => {
  const [home, shared] = [folder(), folder()];
  const squatted = `${shared}/ikigai-0`;
  mkdirSync(squatted, { mode: 0o700 });
  chownSync(squatted, 65_534, 65_534);
  expect(() => lockFolder({ shared })).toThrow(
    `${squatted} is not a private folder of this user (it belongs to user 65534)`,
  );
  const path = lockFolder({ home, shared });
  expect(path.startsWith(`${home}/`)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(lockFolder({ home, shared })).toBe(path);
});

test("the locks of a boot that is long over are removed, and nothing else", () => {
  const [home, shared] = [folder(), folder()];
  const state = `${home}/.local/state/ikigai`;
  const long = new Date(Date.now() - 100 * 24 * 3_600_000);
  for (const name of ["locks-0123456789ab", "locks-ba9876543210", "other"])
    mkdirSync(`${state}/${name}`, { recursive: true });
  for (const name of ["locks-0123456789ab", "other"]) utimesSync(`${state}/${name}`, long, long);
  const path = lockFolder({ home, shared });
  expect(readdirSync(state).toSorted()).toEqual(
    [path.slice(state.length + 1), "locks-ba9876543210", "other"].toSorted(),
  );
});

test("a user without a home has locks in the shared temporary folder", () => {
  const shared = folder();
  const path = lockFolder({ shared });
  writeFileSync(`${shared}/file`, "");
  for (const home of [undefined, "/", "/no/such/home", `${shared}/file`])
    expect(lockFolder({ home, shared })).toBe(path);
});

/** Leaves the lock that a process leaves which was killed while it had the file. */
async function dieHolding(shared: string, path: string, owner = deadOwner()): Promise<void> {
  const lock = createPathLock({ folder: shared, owner, unlink: () => {} });
  await hold(lock, path, () => Promise.resolve());
}
