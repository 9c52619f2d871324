/** Outputs in a package's `dist` for which its `src` has no file any more, as paths from the package's folder. */
export function leftoverOutputs(folder: string): string[];
/** Removes them. */
export function removeLeftovers(folder: string): void;
