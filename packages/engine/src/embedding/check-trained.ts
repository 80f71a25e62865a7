import { FuzzError } from '@fuzzqe/core';
import { matchStructure, type Query, type StructureName, templateOf } from '@fuzzqe/core/query';
import { type ModelConfig, type OfFamily, structuresOf, traitsOf } from '@fuzzqe/model';

/**
 * Refuses to embed queries along a relation that came after the model. Families by distances, and of one structure, also refuse entities
 * that came after the model, and queries of other structures than their own.
 *
 * @throws FuzzError `usage`.
 */
export function checkTrained(
  queries: readonly Query[],
  model: (Pick<ModelConfig, 'entities' | 'relations'> & OfFamily) | null,
): void {
  if (model === null) return;
  const { distances, only } = traitsOf(model);
  for (const query of queries) {
    const { anchors, relations } = templateOf(query);
    const { structure } = matchStructure(query) ?? {};
    const lacked = relations.some((relation) => relation >= model.relations)
      ? 'new relation'
      : (distances ?? only) &&
        (anchors.some((id) => id >= model.entities)
          ? 'new entity'
          : distances !== 'trees' &&
            !structuresOf(model).includes(structure?.name as StructureName) &&
            (structure?.negation && !only ? '¬' : 'such structure'));
    if (lacked)
      throw new FuzzError(
        'usage',
        `mode: expected sets, got embedding: ${model.relationForm} embeds no ${lacked}`,
        { path: '$.mode', hint: 'Ask in mode sets.' },
      );
  }
}
