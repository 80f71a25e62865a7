import type { IndexCapabilities, IndexHits, IndexSearch } from '@fuzzqe/engine';
import type { AddressOption } from '../address/index-address.ts';
import type { IndexContent, StoredIndex } from './index-content.ts';

/**
 * One table of rows in one database, and what it is of.
 *
 * Its functions reject with what the driver says, or with a FuzzError where trying again would change nothing; `createIndexCalls` tries
 * again, and says it in one way for all.
 */
export interface IndexStore {
  /** Of the table where it is whole. */
  readonly capabilities: IndexCapabilities;
  /**
   * What is stored; undefined where nothing is.
   *
   * @throws FuzzError `storage`: the place holds something else.
   */
  read(): Promise<StoredIndex | undefined>;
  /** Makes an empty table for this content. */
  create(content: IndexContent): Promise<void>;
  /** Writes rows from an id on, over what was there. Shapes: [n] rows of [d]. */
  write(first: number, rows: readonly Float32Array[]): Promise<void>;
  /** Builds what finds the rows, and marks the index as complete; hears how many rows it has taken in, where the database tells. */
  finish(content: IndexContent, onBuilt: (rows: number) => void): Promise<void>;
  /** Removes the table and what is known of it. */
  remove(): Promise<void>;
  /** What one search finds: min(k, what may be found) rows, best first. */
  search(search: IndexSearch, content: IndexContent): Promise<IndexHits>;
  close(): Promise<void>;
}

/** Opens a table of a database. Nothing is asked of it yet. */
export type OpenStore = (options: StoreOptions) => Promise<IndexStore>;

/** Which table, and how. */
export interface StoreOptions {
  readonly connection: string;
  /** Which option named it. */
  readonly option: AddressOption;
  readonly table: string;
  /** |E| and d of the bundle. */
  readonly content: IndexContent;
  readonly method: 'approximate' | 'exact';
  readonly effort: number | undefined;
  /** How long the driver may wait for one answer, in milliseconds. */
  readonly timeout: number;
}
