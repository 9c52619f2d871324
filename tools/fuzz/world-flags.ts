import type { World } from "./world.ts";

/** The flags of a program that works in the world's folder as somebody who chose it. */
export function chosenFlags(world: World, mode: string = world.plan.mode): string[] {
  return ["--root", world.work, ...otherFlags(world, mode)];
}

/** The flags of the server, which a client may start in the home folder by chance. */
export function serverFlags(world: World): string[] {
  const { plan } = world;
  return plan.folder === "home by chance" ? otherFlags(world, plan.mode) : chosenFlags(world);
}

function otherFlags({ store, plan }: World, mode: string): string[] {
  return ["--store", store, "--agent", plan.agent, "--approve", mode];
}
