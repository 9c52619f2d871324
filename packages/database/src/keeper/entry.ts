import { type KeeperOptions, runKeeper } from "./keeper.ts";

/** The entry point of a keeper process: its options are the only argument. */
process.umask(0o077);
await runKeeper(JSON.parse(process.argv[2] ?? "") as KeeperOptions);
