import { setFlagsFromString } from "node:v8";
import { type KeeperOptions, runKeeper } from "./keeper.ts";

/**
 * How much of one function of the engine is executed, in bytes of its code, before it is compiled a second time with
 * optimisation. V8's own measure is a thousandth of this: a keeper that has hardly begun then spends half of its processor time
 * on optimising what it runs once. Functions that stay busy are optimised as before, within seconds.
 */
const OPTIMISED_AFTER_BYTES = 2_000_000_000;

/** The entry point of a keeper process: its options are the only argument. */
process.umask(0o077);
// It is read when the engine is loaded, which comes later; where V8 has no such flag it does nothing.
setFlagsFromString(`--wasm-tiering-budget=${OPTIMISED_AFTER_BYTES}`);
await runKeeper(JSON.parse(process.argv[2] ?? "") as KeeperOptions);
