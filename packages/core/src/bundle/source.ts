import type { FileEntry } from './manifest.ts';

/** Where a bundle's files come from: a folder, fetch, assets of a Worker, a bucket. */
export interface BundleSource {
  /** For messages: a folder or an address. */
  readonly location: string;
  /** The bytes of one file. Throws: 'bundle' where it is missing. */
  read(path: string): Promise<Uint8Array>;
  /** Every file there, as paths from the bundle's root; left out where the source cannot tell. */
  list?(): Promise<readonly string[]>;
  /** Size and digest of a file, for sources that need not hold all of it at once. Throws: as `read`. */
  measure?(path: string): Promise<FileEntry>;
}
