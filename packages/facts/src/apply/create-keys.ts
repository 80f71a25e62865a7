import type { Vocabulary } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import type { FactBatch } from '../store/fact-store.ts';
import { entityOfKey, relationOfKey } from './fact-ids.ts';

/** Makes the entities and relations that batches create and a graph lacks; their labels are their keys. Throws: as `changeNames`. */
export async function createKeys(
  { vocabulary, changeNames }: Pick<Engine, 'vocabulary' | 'changeNames'>,
  batches: readonly Pick<FactBatch, 'creates'>[],
): Promise<void> {
  const names = vocabulary.withoutNearNames;
  const lacks = (idOf: (from: Vocabulary, key: string) => number) => (key: string) => {
    try {
      idOf(names, key);
      return false;
    } catch {
      return true;
    }
  };
  const named = (keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
  const all = (kind: 'entities' | 'relations'): readonly string[] => [
    ...new Set(batches.flatMap(({ creates }) => creates?.[kind] ?? [])),
  ];
  const entities = all('entities').filter(lacks(entityOfKey));
  const relations = all('relations').filter(lacks(relationOfKey));
  if (entities.length + relations.length === 0) return;
  await changeNames({ entities: named(entities), relations: named(relations) });
}
