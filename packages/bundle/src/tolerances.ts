import { FuzzError } from '@fuzzqe/core';
import { bundlePaths, type Manifest, profileOf, type Tolerance } from './manifest.ts';

/** How far a runtime's answer may be from float64. */
export interface ParityTolerances {
  readonly embedding: Tolerance;
  readonly score: Tolerance;
  readonly degree: Tolerance;
}

/**
 * float32 against float64: sums of up to a thousand products. A degree is off by a share of itself, which the slope of its logit in
 * the score makes of rounding, and `1 − exp(−x)` of a small x by a few 1e-8.
 *
 * The absolute part is for numbers near zero: differences of larger ones, such as `max(a + b − 1, 0)`, and what layer
 * normalisation makes of a vector that is nearly flat.
 */
const float: ParityTolerances = {
  embedding: { absolute: 5e-6, relative: 1e-5 },
  score: { absolute: 1e-6, relative: 1e-5 },
  degree: { absolute: 5e-7, relative: 1e-4 },
};
/** An activation between two codes may be rounded up by one runtime and down by another. */
const quantised: ParityTolerances = {
  embedding: { absolute: 1.5e-4, relative: 5e-5 },
  score: { absolute: 2e-5, relative: 5e-5 },
  degree: { absolute: 5e-7, relative: 1e-3 },
};

/**
 * The one table of tolerances: with `tolerancesOf` what an export writes into a manifest, and the loosest that is believed there.
 *
 * Each is a small multiple of what was measured; docs/parity.md has the figures.
 */
export const profileTolerances: Readonly<Record<'fp32' | 'fp16' | 'int8' | 'int8-basis', ParityTolerances>> =
  {
    fp32: float,
    fp16: float,
    int8: quantised,
    'int8-basis': quantised,
  };

/**
 * The tolerances of a profile: those of the table, of fp32 for a profile of another version.
 *
 * @example
 * const { score } = tolerancesOf('fp16');
 */
export function tolerancesOf(profile: string): ParityTolerances {
  return Object.hasOwn(profileTolerances, profile)
    ? profileTolerances[profile as keyof typeof profileTolerances]
    : profileTolerances.fp32;
}

/**
 * The tolerances that a bundle's manifest gives a profile, where they are no looser than this version's own.
 *
 * The manifest's digest is no signature: anyone who edits it could make any damage pass.
 * @throws FuzzError `parity`: looser tolerances. `usage`: no such profile.
 */
export function parityTolerances(manifest: Manifest, profile: string): ParityTolerances {
  const given = profileOf(manifest, profile).tolerances;
  const limits = tolerancesOf(profile);
  for (const of of ['embedding', 'score', 'degree'] as const)
    for (const kind of ['absolute', 'relative'] as const)
      if (!(given[of][kind] <= limits[of][kind]))
        throw new FuzzError(
          'parity',
          `tolerances.${of}.${kind} of ${profile}: expected at most ${limits[of][kind]}, got ${given[of][kind]}`,
          {
            path: bundlePaths.manifest,
            hint: 'Export the bundle again.',
          },
        );
  return given;
}
