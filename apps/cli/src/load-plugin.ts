import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type AnySourceDefinition, IkigaiError, messageOf } from "@ikigai/core";

/**
 * The source definition that a package or file exports.
 *
 * Contract: looks in the workspace first, then beside ikigai itself. Each failure names the stage (resolve, import,
 * definition), the package, and what to do.
 */
export async function loadPlugin(use: string, root: string): Promise<AnySourceDefinition> {
  const location = resolvePlugin(use, root);
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(location)) as Record<string, unknown>;
  } catch (cause) {
    throw new IkigaiError("unavailable", `Source "${use}" could not be imported: ${messageOf(cause)}`, {
      hint: "Ask its author, or remove it from the configuration.",
      cause,
    });
  }
  const definitions = Object.values(loaded).filter(isDefinition);
  const [definition] = definitions;
  if (definition !== undefined && definitions.length === 1) return definition;
  const main = definitions.find(({ kind }) => kind === "block");
  if (main !== undefined && definitions.filter(({ kind }) => kind === "block").length === 1) return main;
  throw new IkigaiError("invalid_input", `"${use}" exports ${definitions.length} source definitions, not one`, {
    hint: "Use a package that exports what defineDataBlock or defineDataStream returns.",
  });
}

function resolvePlugin(use: string, root: string): string {
  if (use.startsWith(".") || isAbsolute(use)) return pathToFileURL(isAbsolute(use) ? use : join(root, use)).href;
  const failures: unknown[] = [];
  for (const from of [pathToFileURL(join(root, "package.json")).href, import.meta.url]) {
    try {
      return pathToFileURL(createRequire(from).resolve(use)).href;
    } catch (cause) {
      failures.push(cause);
    }
  }
  throw new IkigaiError("unavailable", `Source "${use}" is not installed`, {
    hint: `Run: npm install ${use}`,
    cause: failures[0],
  });
}

function isDefinition(value: unknown): value is AnySourceDefinition {
  if (typeof value !== "object" || value === null) return false;
  const { kind, contract, open } = value as Partial<AnySourceDefinition>;
  return (kind === "block" || kind === "stream") && contract !== undefined && typeof open === "function";
}
