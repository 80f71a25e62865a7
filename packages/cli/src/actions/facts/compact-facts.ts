import { FuzzError } from '@fuzzqe/core';
import type { Terminal } from '../../terminal/terminal.ts';
import { isFactsStore, withFactsStore } from './facts-store.ts';

/**
 * Does `fuzzqe facts compact`.
 *
 * @throws FuzzError `usage`: no store there. As `openFacts` and `compact` of a store.
 */
export async function compactFacts(terminal: Terminal, target: string): Promise<void> {
  if (!(await isFactsStore(target)))
    throw new FuzzError('usage', `store: expected a store of facts, got ${JSON.stringify(target)}`, {
      hint: 'Give what fuzzqe serve --facts has: a folder, which no server has open, or the address of a database.',
    });
  await withFactsStore(terminal, target, async (store) => {
    await store.compact();
    terminal.out(`Epoch ${store.epoch}: compacted`);
  });
}
