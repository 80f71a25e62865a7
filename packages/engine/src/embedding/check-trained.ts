import { FuzzError } from '@fuzzqe/core';
import { matchStructure, type Query, templateOf } from '@fuzzqe/core/query';
import { type ModelConfig, type OfFamily, traitsOf } from '@fuzzqe/model';

/**
 * Refuses to embed queries along a relation that came after the model, and, in positive families, all but queries of the
 * structures without negation, or of the one that they embed.
 *
 * @throws FuzzError `usage`.
 */
export function checkTrained(
  queries: readonly Query[],
  model: (Pick<ModelConfig, 'entities' | 'relations'> & OfFamily) | null,
): void {
  if (model === null) return;
  const { isPositive, only } = traitsOf(model);
  for (const query of queries) {
    const { anchors, relations } = templateOf(query);
    if (
      relations.some((relation) => relation >= model.relations) ||
      (isPositive &&
        (matchStructure(query)?.structure.negation !== false ||
          (only && relations.length > 1) ||
          anchors.some((id) => id >= model.entities)))
    )
      throw new FuzzError('usage', 'mode: expected sets: the model does not embed this query', {
        path: '$.mode',
        hint: 'Ask in mode sets, or `fuzzqe refresh` for new relations.',
      });
  }
}
