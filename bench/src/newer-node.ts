import { join } from "node:path";
import { installPackages } from "./peers.ts";

/** What peers that have left our Node run on. */
export const NEWER_NODE = "24.21.0";

/**
 * The program of a newer Node, from the registry, for peers that need one.
 *
 * Contract: nothing of ours runs on it, and it is on nobody's PATH.
 */
export async function newerNode(): Promise<string> {
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${system}-${process.arch}`;
  const folder = await installPackages({ [name]: NEWER_NODE });
  return join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
}
