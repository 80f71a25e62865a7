import { join } from 'node:path';
import { type FactStore, openFacts } from '@fuzzqe/facts';
import { pathExists } from '@fuzzqe/files';
import type { Terminal } from '../../terminal/terminal.ts';

/** Whether a text names a store of facts, and no server: an address of a store, or a folder that `serve --facts` made. */
export async function isFactsStore(address: string): Promise<boolean> {
  if (/^https?:/i.test(address)) return false;
  return /^[a-z][a-z\d+.-]*:\/\//i.test(address) || (await pathExists(join(address, 'store.json')));
}

/** Gives the store of an address to a work, and closes it. Throws as `openFacts`. */
export async function withFactsStore<T>(
  terminal: Terminal,
  address: string,
  work: (store: FactStore) => Promise<T>,
): Promise<T> {
  const store = await openFacts(address, { log: (line) => terminal.note(line) });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
