import type { ModelConfig } from '@fuzzqe/core/model';

/**
 * A model as bundles and their graphs store it: without `relationForm` where that is `bases`, which is what its absence says.
 *
 * So readers from before there was a choice go on reading what they can, and refuse blocks as a key that they do not know.
 */
export function storedModel(config: ModelConfig): ModelConfig {
  const { relationForm, ...others } = config;
  // What a schema reads of it is the whole configuration again.
  return relationForm === 'bases' ? (others as ModelConfig) : config;
}
