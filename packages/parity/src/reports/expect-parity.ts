import { FuzzError } from '@fuzzqe/core';
import type { ParityMatrix } from '../matrix/matrix.ts';
import { describeFailure } from './format-text.ts';

/**
 * Throws 'parity', with the place, unless every runtime gave the expected answers, and every profile met a runtime.
 *
 * @example
 * expectParity(await runParity({ bundle: 'bundles/mine', runtimes: ['node', 'web'], fresh: 4, trees: 30, seed: 1 }));
 */
export function expectParity({ cells, profiles, bundle }: ParityMatrix): void {
  const different = cells.filter(({ passed }) => !passed);
  const [first] = different;
  if (first !== undefined) {
    const on = different.map(({ runtime, profile }) => `${runtime} (${profile})`).join(', ');
    const [failure] = first.failures;
    const [place] = failure === undefined ? ['nothing was compared'] : describeFailure(failure);
    throw new FuzzError('parity', `answers differ on ${on}; first ${place}`, {
      path: bundle,
      hint: [
        ...first.diagnosis,
        'Export the bundle again; if it still differs, the runtime computes something else.',
      ].join('\n  '),
    });
  }
  const alone = profiles.filter((profile) => !cells.some((cell) => cell.profile === profile));
  if (alone.length > 0)
    throw new FuzzError('parity', `no runtime was compared in the profile ${alone.join(', ')}`, {
      path: bundle,
      hint: 'The skipped runtimes say why.',
    });
}
