import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/core/model';
import { openWeights, profileNames, profiles, type WeightsReader } from '@fuzzqe/export';

/**
 * Opens the weights of a profile of a bundle, without any graph of it.
 *
 * @throws FuzzError `bundle`: a profile that this version does not know.
 */
export async function openProfileWeights(
  bundle: string,
  profile: string,
  config: ModelConfig,
): Promise<WeightsReader> {
  const folder = join(bundle, 'models', profile);
  const name = profileNames.find((known) => known === profile);
  if (name === undefined)
    throw new FuzzError('bundle', `expected a profile out of ${profileNames.join(', ')}, got "${profile}"`, {
      path: folder,
      hint: 'A newer version may know it: upgrade the fuzzqe packages.',
    });
  return openWeights(join(folder, 'weights.bin'), profiles[name], config);
}
