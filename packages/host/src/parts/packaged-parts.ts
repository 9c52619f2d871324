import { IkigaiError, messageOf } from "@ikigai/core";
import type { AnyPart } from "@ikigai/core/host";
import type { Config } from "../configuration/config.ts";
import { chooseExport } from "../plugins/choose-export.ts";
import { hasFeature, installCommand } from "./features.ts";
import type { ChosenPart } from "./open-parts.ts";
import { FEATURES, OWN_PACKAGES } from "./own-packages.ts";

/**
 * The parts that packages of ikigai bring themselves, as far as they are installed, in the order of the list. Each has the
 * section of the configuration that is called like it.
 */
export async function packagedParts(config: Config): Promise<readonly ChosenPart[]> {
  const found: ChosenPart[] = [];
  for (const { name, feature, load } of OWN_PACKAGES) {
    if (load === undefined || !hasFeature(feature)) continue;
    const part = await loadPackagedPart(load, name, FEATURES[feature].does);
    const section = (config as Readonly<Record<string, unknown>>)[part.name];
    found.push({ part, ...(section !== undefined && { options: section }) });
  }
  return found;
}

/** Contract: `unavailable` for a package that is there and cannot be loaded. */
async function loadPackagedPart(load: () => Promise<object>, name: string, does: string): Promise<AnyPart> {
  try {
    const chosen = chooseExport(name, (await load()) as Readonly<Record<string, unknown>>, { wanted: "part" });
    if (chosen.definition !== undefined) return chosen.definition as unknown as AnyPart;
    throw new Error(chosen.what);
  } catch (cause) {
    throw new IkigaiError("unavailable", `${does} fails: ${name} cannot be loaded: ${messageOf(cause)}`, {
      hint: `Install it anew: ${installCommand([name])}`,
      cause,
    });
  }
}
