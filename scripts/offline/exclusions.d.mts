/** Applies the rules and remembers which were met. */
export class Exclusions {
  leavesOutPackage(dependent: string, name: string): boolean;
  leavesOutFile(name: string, path: string): boolean;
  stale(): readonly { readonly reason: string }[];
}
