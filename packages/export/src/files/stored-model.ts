import type { ModelConfig } from '@fuzzqe/core/model';

/**
 * A model as bundles and their graphs store it: without `relationForm` where that is `bases`, and without `negationLambda` where
 * that is 0, which is what their absence says.
 *
 * So readers from before there was a choice go on reading what they can, and refuse the rest for a key that they do not know.
 */
export function storedModel(config: ModelConfig): ModelConfig {
  const { relationForm, negationLambda, ...others } = config;
  const chosen = {
    ...(relationForm === 'bases' ? {} : { relationForm }),
    ...(negationLambda === 0 ? {} : { negationLambda }),
  };
  // What a schema reads of it is the whole configuration again.
  return { ...others, ...chosen } as ModelConfig;
}
