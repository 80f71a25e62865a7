import { join } from 'node:path';
import { isCombined, type Manifest } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { openWeights, profileNames, profiles, targets, type WeightsReader } from '@fuzzqe/export';

/**
 * Opens the weights of a profile of a bundle, without any graph of it.
 *
 * @throws FuzzError `bundle`: a profile that this version does not know.
 */
export async function openProfileWeights(
  bundle: string,
  profile: string,
  { profiles: stored, model, files }: Pick<Manifest, 'profiles' | 'model' | 'files'>,
): Promise<WeightsReader> {
  const folder = join(bundle, 'models', profile);
  const name = profileNames.find((known) => known === profile);
  if (name === undefined)
    throw new FuzzError('bundle', `expected a profile out of ${profileNames.join(', ')}, got "${profile}"`, {
      path: folder,
      hint: 'A newer version may know it: upgrade the fuzzqe packages.',
    });
  const path = `models/${profile}/weights.bin`;
  const pieces = files[path]?.parts?.map((part) => part.path) ?? [path];
  return openWeights(
    pieces.map((piece) => join(bundle, piece)),
    profiles[name],
    model,
    isCombined(stored[profile]!) ? targets.workers.codes : targets.node.codes,
  );
}
