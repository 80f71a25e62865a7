import type { ModelConfig } from '@fuzzqe/model';

/**
 * A model as bundles and their graphs store it: without `relationForm` where that is `bases`, and without `negationLambda` where
 * that is 0, which is what their absence says.
 *
 * So readers from before there was a choice go on reading what they can, and refuse the rest for a key that they do not know.
 */
export function storedModel(config: ModelConfig): ModelConfig {
  const isSaid = ([key, value]: [string, unknown]): boolean =>
    !(key === 'relationForm' && value === 'bases') && !(key === 'negationLambda' && value === 0);
  // What a schema reads of it is the whole configuration again.
  return Object.fromEntries(Object.entries(config).filter(isSaid)) as unknown as ModelConfig;
}
