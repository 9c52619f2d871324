export interface WorkspacePackage {
  readonly name: string;
  readonly folder: string;
}
export function workspacePackages(): WorkspacePackage[];
export function findPackage(meant: string): WorkspacePackage | undefined;
