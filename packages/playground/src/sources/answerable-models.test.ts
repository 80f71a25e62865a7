import type { ModelInfo } from '@fuzzqe/api';
import { expect, it } from 'vitest';
import { answerableModels } from './answerable-models.ts';

const named = (name: string, modes: ModelInfo['modes']): ModelInfo => ({ name, modes }) as ModelInfo; // what is read of it

it('are models with their facts; where there are others alone, it says what they lack', () => {
  const [whole, small] = [named('whole', ['sets', 'embedding']), named('small', ['embedding'])];
  expect(answerableModels([small, whole])).toEqual([whole]);
  expect(answerableModels([])).toEqual([]);
  expect(() => answerableModels([small])).toThrow(/"small" was made without its facts/);
});
