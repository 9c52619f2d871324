export declare const PACKAGES: ReadonlyMap<string, string>;
export declare function manifestOf(folder: string): { name: string; version: string; [field: string]: unknown };
export declare function closureOf(name: string): string[];
export declare function pack(name: string, folder: string): Promise<string>;
export declare function install(folder: string, tarballs: readonly string[]): Promise<void>;
export declare function installed(folder: string): string[];
