import { stat } from "node:fs/promises";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core";
import type { Place } from "../place/place.ts";
import type { HostStore } from "./host-store.ts";
import type { StoreLocation } from "./store-options.ts";

/** Where the embedded store of a state directory lies. */
export function storeFolder(stateDirectory: string): string {
  return join(stateDirectory, "postgres");
}

/** Whether there is a store to look at. Contract: makes none; what a server has is known to the server only. */
export async function storeExists(location: StoreLocation): Promise<boolean> {
  if ("url" in location) return true;
  return stat(join(storeFolder(location.directory), "data")).then(
    () => true,
    () => false,
  );
}

/** Contract: `not_found` when there is no store yet. */
export async function assertStore(store: Pick<HostStore, "exists">, place: Place): Promise<void> {
  if (await store.exists()) return;
  throw new IkigaiError("not_found", noStore(place), { hint: "Pass --store to use another one." });
}

export function noStore({ stateDirectory }: Place): string {
  return `There is no store at ${storeFolder(stateDirectory)} yet. The first change, pin or conversation makes it.`;
}
