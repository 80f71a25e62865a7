import type { ModelInfo } from '@fuzzqe/api';
import { SourceError } from './answer-source.ts';

/**
 * The models that the page can ask: those with their facts, by which it counts relations, shows entities and explains answers.
 *
 * @throws SourceError `failed`: there are models, but none of those.
 */
export function answerableModels(models: readonly ModelInfo[]): readonly ModelInfo[] {
  const found = models.filter(({ modes }) => modes.includes('sets'));
  const [first] = models;
  if (first !== undefined && found.length === 0)
    throw new SourceError(
      'failed',
      `The bundle of ${JSON.stringify(first.name)} was made without its facts.`,
      {
        hint: 'This page explains answers by them: export the run for servers. Programs can ask this one with POST /v1/query.',
      },
    );
  return found;
}
