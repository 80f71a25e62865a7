import type { Engine } from '@fuzzqe/engine';
import type { FactBatch, NewKeys } from '../store/fact-store.ts';
import { hasKey } from './fact-ids.ts';

/** Makes the entities and relations that batches create and a graph lacks; their labels are their keys. Throws: as `changeNames`. */
export async function createKeys(
  { vocabulary, changeNames }: Pick<Engine, 'vocabulary' | 'changeNames'>,
  batches: readonly Pick<FactBatch, 'creates'>[],
): Promise<void> {
  const names = vocabulary.withoutNearNames;
  const named = (keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
  const lacking = (kind: keyof NewKeys): readonly string[] => {
    const keys = new Set(batches.flatMap(({ creates }) => creates?.[kind] ?? []));
    return [...keys].filter((key) => !hasKey(names, kind, key));
  };
  const entities = lacking('entities');
  const relations = lacking('relations');
  if (entities.length + relations.length === 0) return;
  await changeNames({ entities: named(entities), relations: named(relations) });
}
