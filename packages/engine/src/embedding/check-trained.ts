import { FuzzError } from '@fuzzqe/core';
import { matchStructure, type Query, templateOf } from '@fuzzqe/core/query';
import { type ModelConfig, type OfFamily, traitsOf } from '@fuzzqe/model';

/**
 * Refuses to embed queries along a relation that came after the model, and, in positive families, all but queries of the
 * structures without negation.
 *
 * @throws FuzzError `usage`.
 */
export function checkTrained(
  queries: readonly Query[],
  model: (Pick<ModelConfig, 'entities' | 'relations'> & OfFamily) | null,
): void {
  if (model === null) return;
  for (const query of queries) {
    const { anchors, relations } = templateOf(query);
    const negation = matchStructure(query)?.structure.negation;
    const lacked = relations.some((relation) => relation >= model.relations)
      ? 'new relation'
      : traitsOf(model).isPositive &&
        (anchors.some((id) => id >= model.entities)
          ? 'new entity'
          : negation
            ? '¬'
            : negation === undefined && 'such structure');
    if (lacked)
      throw new FuzzError(
        'usage',
        `mode: expected sets, got embedding: ${model.relationForm} embeds no ${lacked}`,
        { path: '$.mode', hint: 'Ask in mode sets, or after `fuzzqe refresh`.' },
      );
  }
}
