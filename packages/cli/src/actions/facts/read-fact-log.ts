import { FuzzError, type NameEntry, schema } from '@fuzzqe/core';
import type { KeyedChange } from '@fuzzqe/data';
import type { Terminal } from '../../terminal/terminal.ts';
import type { FactsServerOptions } from './facts-server.ts';
import { isFactsStore, withFactsStore } from './facts-store.ts';
import { batchSchema, type ListedBatch, linesOf } from './list-changes.ts';

/** The changes of a log of facts in order, and the entities and relations that the log creates, with the last labels that the log gives. */
export interface LoggedFacts {
  readonly changed: readonly KeyedChange[];
  readonly creates: { readonly entities: readonly NameEntry[]; readonly relations: readonly NameEntry[] };
}

/**
 * The changes of facts, in order: of a store that no server has for itself, or of the server at an address.
 *
 * @throws FuzzError `usage`: no store there. `runtime`: a server has the folder open, or no server answers.
 */
export async function readFactLog(
  terminal: Terminal,
  place: string,
  options: FactsServerOptions,
): Promise<LoggedFacts> {
  const changed: KeyedChange[] = [];
  const keys = { entities: new Set<string>(), relations: new Set<string>() };
  const labels = new Map<string, string>();
  const read = ({ changes, creates = {}, names = [] }: Omit<ListedBatch, 'epoch' | 'at'>): void => {
    for (const change of changes) changed.push(change);
    for (const key of creates.entities ?? []) keys.entities.add(key);
    for (const key of creates.relations ?? []) keys.relations.add(key);
    // Without a label of its own an entity is called by its key.
    for (const { key, label } of names) if (label !== undefined) labels.set(key, label ?? key);
  };
  const logged = (): LoggedFacts => ({
    changed,
    creates: {
      entities: Array.from(keys.entities, (key) => ({ key, label: labels.get(key) ?? key })),
      relations: Array.from(keys.relations, (key) => ({ key, label: key })),
    },
  });
  if (/^https?:/i.test(place)) {
    for await (const [line, path] of linesOf(place, { ...options, since: 0 })) {
      read(schema.parseJson(batchSchema, line, { code: 'runtime', what: 'changes', path }));
    }
    return logged();
  }
  // Opening makes a log where none is.
  if (!(await isFactsStore(place)))
    throw new FuzzError('usage', '--facts: expected a store of facts, got none', {
      path: place,
      hint: 'Give what fuzzqe serve --facts has: a folder or an address; or the address of that server.',
    });
  await withFactsStore(terminal, place, async (store) => {
    for await (const batch of store.since(0)) read(batch);
  }).catch((cause: unknown) => {
    if (!(cause instanceof FuzzError) || cause.code !== 'runtime') throw cause;
    throw new FuzzError('runtime', cause.message, {
      path: place,
      hint: 'If a server has it open, give the address of the server: --facts http://…',
      cause,
    });
  });
  return logged();
}
