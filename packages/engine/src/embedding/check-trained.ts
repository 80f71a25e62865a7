import { FuzzError } from '@fuzzqe/core';
import { matchStructure, type Query, templateOf } from '@fuzzqe/core/query';
import { type ModelConfig, type OfFamily, traitsOf } from '@fuzzqe/model';

/**
 * Refuses to embed queries along a relation that came after the model, and, in positive families, all but queries of the
 * structures without negation, or all but 1p queries.
 *
 * @throws FuzzError `usage`.
 */
export function checkTrained(
  queries: readonly Query[],
  model: (Pick<ModelConfig, 'entities' | 'relations'> & OfFamily) | null,
): void {
  if (model === null) return;
  const { isPositive, isOfLinks } = traitsOf(model);
  for (const query of queries) {
    const { anchors, relations } = templateOf(query);
    if (
      relations.some((relation) => relation >= model.relations) ||
      (isPositive &&
        (matchStructure(query)?.structure.negation !== false ||
          (isOfLinks && relations.length > 1) ||
          anchors.some((id) => id >= model.entities)))
    )
      throw new FuzzError(
        'usage',
        'mode: expected sets for a query that the model does not embed, got embedding',
        { path: '$.mode', hint: 'Ask in mode sets. After `fuzzqe refresh`, it embeds new relations.' },
      );
  }
}
