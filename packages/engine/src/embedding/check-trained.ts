import { FuzzError } from '@fuzzqe/core';
import { type Query, templateOf } from '@fuzzqe/core/query';
import type { ModelConfig } from '@fuzzqe/model';

/**
 * Refuses to embed queries along a relation that came after the model.
 *
 * @throws FuzzError `usage`.
 */
export function checkTrained(queries: readonly Query[], model: Pick<ModelConfig, 'relations'> | null): void {
  if (model === null) return;
  for (const query of queries)
    if (templateOf(query).relations.some((relation) => relation >= model.relations))
      throw new FuzzError(
        'usage',
        'mode: expected sets for a relation that was created after the training, got embedding',
        { path: '$.mode', hint: 'Ask in mode sets, or refresh the model with `fuzzqe refresh`.' },
      );
}
