import type { Manifest } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { checkSearch, type EntityIndex, type IndexState } from '@fuzzqe/engine';
import { type AddressOption, type IndexAddress, parseIndexAddress } from '../address/index-address.ts';
import { type CallPatience, createIndexCalls, type IndexCalls } from '../store/index-calls.ts';
import {
  checkComplete,
  checkContent,
  checkMethod,
  contentOf,
  type IndexContent,
  tableOf,
} from '../store/index-content.ts';
import type { IndexStore, OpenStore } from '../store/index-store.ts';
import { watchIndex } from './watch-index.ts';

/** Which bundle's index, and how long it is waited for. */
export interface EntityIndexOptions extends CallPatience {
  readonly manifest: Manifest;
  readonly profile: string;
  /**
   * How often it is asked whether it is there, in milliseconds, and at least once a second while it is not: searches are refused at
   * once until it is. Default 5000; 0: never, so that every search asks.
   */
  readonly checkEvery?: number;
  /** Hears of every other state than before, with what is wrong. */
  readonly onState?: (state: IndexState, error?: FuzzError) => void;
}

/** Of which bundle a place is, and which option named it. */
export interface PlaceOptions extends Omit<EntityIndexOptions, 'checkEvery' | 'onState'> {
  readonly option: AddressOption;
}

/** A table that may be read and written, with its calls. */
export interface IndexPlace {
  readonly address: IndexAddress;
  /** What and where it is, without credentials. */
  readonly name: string;
  readonly content: IndexContent;
  readonly store: IndexStore;
  readonly calls: IndexCalls;
}

/** Each loads its driver only when it is asked for. */
const stores: Readonly<Record<IndexAddress['kind'], () => Promise<OpenStore>>> = {
  postgres: async () => (await import('../postgres/postgres-store.ts')).openPostgresStore,
  lancedb: async () => (await import('../lancedb/lancedb-store.ts')).openLancedbStore,
  milvus: async () => (await import('../milvus/milvus-store.ts')).openMilvusStore,
};

/**
 * Opens the place of a bundle's index, whether or not there is one.
 *
 * @throws FuzzError `usage`: no address of an index. `runtime`: the driver is not installed.
 */
export async function openIndexPlace(
  text: string,
  { manifest, profile, option, ...patience }: PlaceOptions,
): Promise<IndexPlace> {
  const address = parseIndexAddress(text, option);
  const content = contentOf(manifest, profile);
  const table = address.table ?? tableOf(content);
  const name = `${table} at ${address.shown}`;
  const open = await stores[address.kind]();
  const { connection, method, effort } = address;
  const { timeout = 5000 } = patience;
  const store = await open({ connection, option, table, content, method, effort, timeout });
  return { address, name, content, store, calls: createIndexCalls(address, name, patience) };
}

/**
 * Opens the index of a bundle for searches.
 *
 * @throws FuzzError `usage`: no address. `runtime`: the driver is not installed, or the database cannot be reached. `bundle`: there is no
 * index, or one of another bundle, dimension or metric, or one that is not complete. `storage`: the place holds something else, or may
 * not be read.
 * @example
 * const index = await openEntityIndex('postgres://localhost/kg', engine);
 */
export async function openEntityIndex(text: string, options: EntityIndexOptions): Promise<EntityIndex> {
  const { address, name, content, store, calls } = await openIndexPlace(text, {
    ...options,
    option: '--index',
  });
  const { checkEvery = 5000 } = options;
  const check = async (): Promise<void> => {
    const stored = await calls.call(() => store.read(), {}, { decides: true });
    if (stored === undefined)
      throw new FuzzError('bundle', `there is no index of ${content.name}`, {
        path: name,
        hint: 'Make it with fuzzqe index push BUNDLE --to URL.',
      });
    checkContent(stored, content, name);
    checkComplete(stored, name);
    checkMethod(stored, address, name);
  };
  try {
    await check();
  } catch (cause) {
    await store.close().catch(() => undefined);
    throw cause;
  }
  let closing: Promise<void> | undefined;
  const shown = `The entity index ${name.split(' ')[0]} (${address.kind})`;
  const watch = watchIndex({ name, shown, calls, check, every: checkEvery, onState: options.onState });
  const index: EntityIndex = {
    name,
    capabilities: store.capabilities,
    rows: content.rows,
    dimension: content.dimension,
    get state() {
      return watch.state;
    },
    async search(searches, limits = {}) {
      watch.refuse();
      for (const search of searches) checkSearch(search, index);
      const work = () => Promise.all(searches.map((search) => store.search(search, content)));
      try {
        return await calls.call(work, limits);
      } finally {
        watch.called();
      }
    },
    close() {
      watch.close();
      closing ??= store.close().catch(() => undefined);
      return closing;
    },
  };
  return index;
}
