/** The part of a package-lock.json that is read. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface LockedPackage {
  /** `name@version` */
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly path: string;
  /** Of this workspace. */
  readonly own: boolean;
  readonly entry: Readonly<Record<string, unknown>>;
  /** Whether npm would run a script of it when it is installed. */
  readonly scripts: boolean;
  readonly dependencies: ReadonlySet<string>;
}

export function lockedPackages(lock: Lockfile, options?: { readonly production?: boolean }): LockedPackage[];
