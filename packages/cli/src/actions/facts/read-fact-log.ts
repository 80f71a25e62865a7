import { FuzzError, schema } from '@fuzzqe/core';
import type { KeyedChange } from '@fuzzqe/data';
import type { Terminal } from '../../terminal/terminal.ts';
import type { FactsServerOptions } from './facts-server.ts';
import { isFactsStore, withFactsStore } from './facts-store.ts';
import { batchSchema, linesOf } from './list-changes.ts';

/**
 * The changes of facts, in order: of a store that no server has for itself, or of the server at an address.
 *
 * @throws FuzzError `usage`: no store there. `runtime`: a server has the folder open, or no server answers.
 */
export async function readFactLog(
  terminal: Terminal,
  place: string,
  options: FactsServerOptions,
): Promise<KeyedChange[]> {
  const changes: KeyedChange[] = [];
  if (/^https?:/i.test(place)) {
    for await (const [line, path] of linesOf(place, { ...options, since: 0 })) {
      const batch = schema.parseJson(batchSchema, line, { code: 'runtime', what: 'changes', path });
      changes.push(...batch.changes);
    }
    return changes;
  }
  // Opening makes a log where none is.
  if (!(await isFactsStore(place)))
    throw new FuzzError('usage', '--facts: expected a store of facts, got none', {
      path: place,
      hint: 'Give what fuzzqe serve --facts has: a folder or an address; or the address of that server.',
    });
  await withFactsStore(terminal, place, async (store) => {
    for await (const batch of store.since(0)) changes.push(...batch.changes);
  }).catch((cause: unknown) => {
    if (!(cause instanceof FuzzError) || cause.code !== 'runtime') throw cause;
    throw new FuzzError('runtime', cause.message, {
      path: place,
      hint: 'If a server has it open, give the address of the server: --facts http://…',
      cause,
    });
  });
  return changes;
}
