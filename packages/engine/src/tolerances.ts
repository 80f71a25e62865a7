import { FuzzError } from '@fuzzqe/core';
import type { Manifest, Tolerance } from '@fuzzqe/core/bundle';

/** How far apart two runtimes may be. */
export interface ParityTolerances {
  readonly embedding: Tolerance;
  readonly score: Tolerance;
}

/** float32 against float64 over a few hundred to a thousand terms, with room for another order of summation. */
const float: ParityTolerances = {
  embedding: { absolute: 1e-5, relative: 1e-4 },
  score: { absolute: 1e-5, relative: 1e-4 },
};
/** An activation between two codes may be rounded up by one runtime and down by another. */
const quantised: ParityTolerances = {
  embedding: { absolute: 2e-4, relative: 2e-4 },
  score: { absolute: 2e-5, relative: 2e-4 },
};

/** The loosest tolerances of each profile that are believed. */
export const toleranceLimits: Readonly<Record<string, ParityTolerances>> = {
  fp32: float,
  fp16: float,
  int8: quantised,
  'int8-basis': quantised,
};

/**
 * The tolerances that a bundle's manifest gives a profile, where they are no looser than this version's own.
 *
 * The manifest's digest is no signature: whoever edits it could make any damage pass.
 * @throws FuzzError `parity`: looser tolerances.
 */
export function parityTolerances(manifest: Manifest, profile: string): ParityTolerances {
  const given = manifest.profiles[profile]?.tolerances ?? manifest.tolerances;
  const limits = toleranceLimits[profile] ?? float;
  for (const of of ['embedding', 'score'] as const)
    for (const kind of ['absolute', 'relative'] as const)
      if (!(given[of][kind] <= limits[of][kind]))
        throw new FuzzError(
          'parity',
          `tolerances.${of}.${kind} of ${profile}: expected at most ${limits[of][kind]}, got ${given[of][kind]}`,
          {
            path: 'manifest.json',
            hint: 'The manifest allows more than any export of this version does; export the bundle again.',
          },
        );
  return given;
}
