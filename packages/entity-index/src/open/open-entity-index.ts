import { FuzzError } from '@fuzzqe/core';
import type { Manifest } from '@fuzzqe/core/bundle';
import { checkSearch, type EntityIndex } from '@fuzzqe/engine';
import { type IndexAddress, parseIndexAddress } from '../address/index-address.ts';
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

/** Which bundle's index, and how long it is waited for. */
export interface EntityIndexOptions extends CallPatience {
  readonly manifest: Manifest;
  readonly profile: string;
  /** How often it is asked whether it is there, in milliseconds, so that readiness is known without queries. Default 5000; 0: never. */
  readonly checkEvery?: number;
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
  { manifest, profile, ...patience }: EntityIndexOptions,
): Promise<IndexPlace> {
  const address = parseIndexAddress(text);
  const content = contentOf(manifest, profile);
  const table = address.table ?? tableOf(content);
  const name = `${table} at ${address.shown}`;
  const open = await stores[address.kind]();
  const { connection, method, effort } = address;
  const store = await open({ connection, table, content, method, effort, timeout: patience.timeout ?? 5000 });
  return { address, name, content, store, calls: createIndexCalls(address, name, patience) };
}

/**
 * Opens the index of a bundle for searches.
 *
 * @throws FuzzError `usage`: no address. `runtime`: the driver is not installed, or the database cannot be reached. `bundle`: there is no
 * index, or one of another bundle, dimension or metric, or one that is not complete. `storage`: the place holds something else.
 */
export async function openEntityIndex(text: string, options: EntityIndexOptions): Promise<EntityIndex> {
  const { address, name, content, store, calls } = await openIndexPlace(text, options);
  const { checkEvery = 5000 } = options;
  const check = async (): Promise<void> => {
    const stored = await calls.call(() => store.read());
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
  let [fits, closing]: [boolean, Promise<void> | undefined] = [true, undefined];
  let isChecking = false;
  const timer =
    checkEvery === 0
      ? undefined
      : setInterval(async () => {
          if (isChecking) return;
          isChecking = true;
          // Gone, or replaced by that of another bundle: not to be asked until it is back.
          fits = await check().then(
            () => true,
            (error: unknown) => error instanceof FuzzError && error.code === 'runtime',
          );
          isChecking = false;
        }, checkEvery).unref();
  const index: EntityIndex = {
    name,
    capabilities: store.capabilities,
    rows: content.rows,
    dimension: content.dimension,
    get ready() {
      return closing === undefined && fits && calls.answered;
    },
    async search(searches, limits = {}) {
      if (closing !== undefined) throw new FuzzError('runtime', 'the entity index is closed', { path: name });
      for (const search of searches) checkSearch(search, index);
      return calls.call(() => Promise.all(searches.map((search) => store.search(search, content))), limits);
    },
    close() {
      clearInterval(timer);
      closing ??= store.close().catch(() => undefined);
      return closing;
    },
  };
  return index;
}
