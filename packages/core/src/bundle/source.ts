/** Where a bundle's files come from: a folder, fetch, assets of a Worker, a bucket. */
export interface BundleSource {
  /** For messages: a folder or an address. */
  readonly location: string;
  /** The bytes of one file. Throws: 'bundle' where it is missing. */
  read(path: string): Promise<Uint8Array>;
}
