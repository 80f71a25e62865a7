/** A bundle that a service answers from. */
export interface Served {
  readonly path: string;
  name: string;
  folder: string;
  /** Of the manifest, which tells an export into the same folder from what is served. */
  sha256: string;
}
