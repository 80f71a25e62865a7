import type { Engine } from '@fuzzqe/engine';
import type { FactBatch } from '@fuzzqe/facts';

/** Makes the entities and relations that batches create and a graph lacks; their labels are their keys. Throws: as `changeNames`. */
export async function createKeys(
  { vocabulary, changeNames }: Pick<Engine, 'vocabulary' | 'changeNames'>,
  batches: readonly Pick<FactBatch, 'creates'>[],
): Promise<void> {
  const { findEntity, findRelation, entity, relation } = vocabulary.withoutNearNames;
  const lacks = (find: (name: string) => number, keyOf: (id: number) => string) => (key: string) => {
    try {
      return keyOf(find(key.startsWith('<') ? `<${key}>` : key)) !== key;
    } catch {
      return true;
    }
  };
  const named = (keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
  const all = (kind: 'entities' | 'relations'): readonly string[] => [
    ...new Set(batches.flatMap(({ creates }) => creates?.[kind] ?? [])),
  ];
  const entities = all('entities').filter(lacks(findEntity, (id) => entity(id).key));
  const relations = all('relations').filter(lacks(findRelation, (id) => relation(id).key));
  if (entities.length + relations.length === 0) return;
  await changeNames({ entities: named(entities), relations: named(relations) });
}
