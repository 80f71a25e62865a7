import { edgeMemory, type Manifest, profileOf } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';

/**
 * Refuses a bundle by its manifest, where it would not fit into so many bytes of memory; gives the bytes that the bundle leaves.
 *
 * @throws FuzzError `bundle`.
 */
export function checkMemory(manifest: Manifest, profile: string, limit: number): number {
  const { total } = edgeMemory(manifest, profileOf(manifest, profile));
  if (total <= limit) return limit - total;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  throw new FuzzError(
    'bundle',
    `too large: its profile ${profile} takes about ${megabytes(total)} of memory, ${megabytes(limit)} are there`,
    {
      hint: 'Export it with `--target workers --profile int8-basis`, mine fewer rules (`fuzzqe calibrate --rules 10`), or train with a smaller dimension.',
    },
  );
}
