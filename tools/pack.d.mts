export declare const PACKAGES: ReadonlyMap<string, string>;
export interface Manifest {
  name: string;
  version: string;
  license?: string;
  type?: string;
  sideEffects?: boolean;
  publishConfig?: { access?: string; provenance?: boolean };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  [field: string]: unknown;
}
export declare function manifestOf(folder: string): Manifest;
export declare function closureOf(name: string, options?: { optional?: boolean }): string[];
export declare function packAll(folder: string): Promise<ReadonlyMap<string, string>>;
export declare function install(
  folder: string,
  tarballs: readonly string[],
  options?: { optional?: boolean },
): Promise<void>;
export declare function installed(folder: string): string[];
