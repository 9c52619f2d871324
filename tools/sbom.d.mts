/** A package in the tree of one of ours. */
export interface Component {
  readonly ref: string;
  /** Where it is installed. Absent: it is for another platform. */
  readonly folder?: string;
  readonly manifest: {
    readonly name: string;
    readonly version: string;
    readonly license?: unknown;
    readonly scripts?: Readonly<Record<string, string>>;
  };
  readonly scope: "required" | "optional";
}

export declare const ALLOWED_LICENCES: ReadonlySet<string>;
export declare const OPTIONAL_PEERS: ReadonlyMap<string, string>;
export declare function runtimeTree(name: string): {
  readonly own: string;
  readonly components: readonly Component[];
  readonly edges: ReadonlyMap<string, readonly string[]>;
};
export declare function licenceOf(component: Pick<Component, "manifest">): string | undefined;
export declare function isAllowed(expression: string): boolean;
export declare function installScriptsOf(component: Pick<Component, "folder" | "manifest">): readonly string[];
export declare function findProblems(components: readonly Component[]): readonly string[];
export declare function billOfMaterials(name: string): {
  readonly components: readonly {
    readonly name: string;
    readonly purl: string;
    readonly hashes?: readonly unknown[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly serialNumber: string;
};
export declare function foreignComponents(): readonly Component[];
export declare function dependenciesPage(): string;
