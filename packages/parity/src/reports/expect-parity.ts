import { FuzzError } from '@fuzzqe/core';
import type { ParityMatrix } from '../matrix/matrix.ts';
import { describeFailure } from './format-text.ts';

/** Throws 'parity', with the place, unless every runtime gave the expected answers in every profile. */
export function expectParity({ cells, bundle }: ParityMatrix): void {
  const different = cells.filter(({ passed }) => !passed);
  const [first] = different;
  if (first === undefined) return;
  const on = different.map(({ runtime, profile }) => `${runtime} (${profile})`).join(', ');
  const [place] = describeFailure(first.failures[0]!);
  throw new FuzzError('parity', `answers differ on ${on}; first ${place}`, {
    path: bundle,
    hint: [
      ...first.diagnosis,
      'Export the bundle again; if it still differs, the runtime computes something else.',
    ].join('\n  '),
  });
}
