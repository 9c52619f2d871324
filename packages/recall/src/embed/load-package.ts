import { IkigaiError } from "@ikigai/core";

/** Loads a package that only some installations have. Contract: `unavailable`, naming it, when it is not there. */
export async function loadPackage<T>(name: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (cause) {
    throw new IkigaiError("unavailable", `The package ${name} is not installed or does not load`, {
      hint: `Install it with: npm install ${name}`,
      cause,
    });
  }
}
