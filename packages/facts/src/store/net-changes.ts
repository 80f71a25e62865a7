import type { BatchHead } from './encode-batch.ts';
import type { FactBatch, FactChange, FactKeys } from './fact-store.ts';
import { createNetNames } from './net-names.ts';

/** The last change of each fact, gathered from batches in order. */
export interface NetChanges {
  add(batch: FactBatch): void;
  /** Time of the last batch, who wrote if all batches say the same, what all batches create, and the last names of each entity. */
  head(): BatchHead;
  /** The last changes in their order. */
  changes(): Iterable<FactChange>;
}

/**
 * The three keys of a fact as one text, which no other fact has: keys have no NUL.
 *
 * @example
 * const known = new Set([factText({ head: 'France', relation: 'borders', tail: 'Spain' })]);
 */
export function factText({ head, relation, tail }: FactKeys): string {
  return `${head}\0${relation}\0${tail}`;
}

/**
 * Gathers the last change of each fact.
 *
 * @example
 * const store = createMemoryFacts();
 * const net = createNetChanges();
 * for await (const batch of store.since(0)) net.add(batch);
 * for (const change of net.changes()) console.log(change.does, change.head);
 */
export function createNetChanges(): NetChanges {
  const last = new Map<string, FactChange>();
  let at: string | undefined;
  let by: string | undefined;
  const names = createNetNames();
  const created = { entities: new Set<string>(), relations: new Set<string>() };
  return {
    add(batch) {
      for (const key of batch.creates?.entities ?? []) created.entities.add(key);
      for (const key of batch.creates?.relations ?? []) created.relations.add(key);
      names.add(batch.names ?? []);
      by = at === undefined || by === batch.by ? batch.by : undefined;
      at = batch.at;
      for (const change of batch.changes) {
        const key = factText(change);
        // A key that is set again keeps its place otherwise.
        last.delete(key);
        last.set(key, change);
      }
    },
    head: () => ({
      at: at ?? '',
      ...(by === undefined ? {} : { by }),
      ...(created.entities.size + created.relations.size === 0
        ? {}
        : { creates: { entities: [...created.entities], relations: [...created.relations] } }),
      ...(names.size === 0 ? {} : { names: names.all() }),
    }),
    changes: () => last.values(),
  };
}
