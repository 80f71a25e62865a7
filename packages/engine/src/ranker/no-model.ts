import { FuzzError } from '@fuzzqe/core';

/** The refusal of what only a model can answer. */
export function noModel(path = '$.mode'): FuzzError {
  return new FuzzError('usage', 'mode: expected sets, got embedding: no model is there yet: train one', {
    path,
    hint: 'Ask in mode sets, or train a model with `fuzzqe run` and ask its bundle.',
  });
}

/** What callers should know of answers that no model had a part in. */
export const withoutModel = 'no-model: no model is there yet: answers by rules, schema and similar entities';
