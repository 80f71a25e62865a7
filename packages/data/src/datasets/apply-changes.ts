import { FuzzError, findEdge } from '@fuzzqe/core';
import { provenancesOf } from '@fuzzqe/names';
import { sortDistinct } from '../triples/sort-triples.ts';
import { createDataset, type Dataset } from './dataset.ts';
import { growNames, type NewNames } from './grow-names.ts';
import { idsByKey } from './ids-by-key.ts';
import { lastChanges } from './last-changes.ts';
import { splitByKeys } from './split-by-keys.ts';

/** A change of a fact, by keys; a rejected link is no fact. */
export interface KeyedChange {
  readonly does: 'add' | 'remove' | 'reject';
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
}

/**
 * A data set with changes, split anew by keys with the share that was held out; of changes of one fact the last counts.
 *
 * `keepSplit` then gives the facts of before their parts. Rejected links stay so until they are added or removed. A change that says what is so already changes nothing.
 *
 * @param creates entities and relations that changes may have although the data set lacks them; a name without a fact is left out.
 * @throws FuzzError `data`: an entity or a relation that the data set lacks.
 */
export function applyChanges(
  dataset: Dataset,
  changes: Iterable<KeyedChange>,
  { seed, creates = {} }: { readonly seed: string | number; readonly creates?: NewNames | undefined },
): Dataset {
  const { full } = dataset.graphs();
  const before = idsByKey(dataset.vocabulary);
  const list = lastChanges(changes);
  const { vocabulary, leavesOut } = growNames(dataset.vocabulary, before, list, creates);
  const { entities, relations } = vocabulary === dataset.vocabulary ? before : idsByKey(vocabulary);
  const idOf = (ids: ReadonlyMap<string, number>, kind: string, key: string): number => {
    const id = ids.get(key);
    if (id !== undefined) return id;
    throw new FuzzError('data', `changes of facts: expected a known ${kind}, got ${JSON.stringify(key)}`, {
      path: dataset.name,
      hint: 'Import the changed graph with its new names, and give its folder: --data FOLDER.',
    });
  };
  const last = new Map<string, { readonly does: KeyedChange['does']; readonly fact: readonly number[] }>();
  for (const change of list) {
    if (leavesOut(change)) continue;
    const { does, head, relation, tail } = change;
    const fact = [
      idOf(entities, 'entity', head),
      idOf(relations, 'relation', relation),
      idOf(entities, 'entity', tail),
    ];
    last.set(fact.join(' '), { does, fact });
  }
  const triples = full.forwardTriples();
  const left: number[] = [];
  for (let i = 0; i < triples.length; i += 3) {
    const fact = [triples[i]!, triples[i + 1]!, triples[i + 2]!];
    if ((last.get(fact.join(' '))?.does ?? 'add') === 'add') left.push(...fact);
  }
  for (const { does, fact } of last.values()) if (does === 'add') left.push(...fact);
  const rejected: number[] = [];
  for (let i = 0; i < (dataset.rejected?.length ?? 0); i += 3) {
    const link = dataset.rejected!.subarray(i, i + 3);
    if (!last.has(link.join(' '))) rejected.push(...link);
  }
  for (const { does, fact } of last.values()) if (does === 'reject') rejected.push(...fact);
  const facts = sortDistinct(Int32Array.from(left), vocabulary.entityCount);
  const held = dataset.valid.length + dataset.test.length;
  const holdOut = triples.length === 0 ? 0 : held / 2 / triples.length;
  const { notes: _, ...split } = splitByKeys(facts, { vocabulary, holdOut, seed });
  const { graphs: __, provenances: said, ...rest } = dataset;
  const provenances = said && provenancesOf(said, (...fact) => findEdge(facts, ...fact) >= 0);
  return createDataset({
    ...{ ...rest, vocabulary, ...split },
    ...(provenances === undefined ? {} : { provenances }),
    rejected: sortDistinct(Int32Array.from(rejected), vocabulary.entityCount),
  });
}
