import { FuzzError } from '@fuzzqe/core';
import { matchStructure, type Query, type StructureName, templateOf } from '@fuzzqe/core/query';
import { type ModelConfig, type OfFamily, structuresOf, traitsOf } from '@fuzzqe/model';

/**
 * Refuses to embed queries along a relation that came after the model, and, in families by distances, entities that came after it and
 * queries of other structures than theirs.
 *
 * @throws FuzzError `usage`.
 */
export function checkTrained(
  queries: readonly Query[],
  model: (Pick<ModelConfig, 'entities' | 'relations'> & OfFamily) | null,
): void {
  if (model === null) return;
  const { distances } = traitsOf(model);
  for (const query of queries) {
    const { anchors, relations } = templateOf(query);
    if (
      relations.some((relation) => relation >= model.relations) ||
      (distances && anchors.some((id) => id >= model.entities)) ||
      (distances &&
        distances !== 'trees' &&
        !structuresOf(model).includes(matchStructure(query)?.structure.name as StructureName))
    )
      throw new FuzzError(
        'usage',
        'mode: expected sets for a query that the model does not embed, got embedding',
        { path: '$.mode', hint: 'Ask in mode sets. After `fuzzqe refresh`, it embeds new relations.' },
      );
  }
}
