import type { Manifest } from '@fuzzqe/core/bundle';
import { code, table } from './markdown.ts';

/** The profiles with their sizes and what they cost in quality. */
export function profilesSection({ profiles }: Pick<Manifest, 'profiles'>): string {
  const rows = Object.entries(profiles).map(([name, { bytes, quality }]) =>
    quality === undefined || 'reason' in quality
      ? [code(name), `${bytes ?? ''}`, '', '', '']
      : [
          code(name),
          `${bytes ?? ''}`,
          (100 * quality.mrrChange).toFixed(2),
          quality.overlap10.toFixed(4),
          `${quality.queries}`,
        ],
  );
  return `A profile is one stored form of the model. The change of MRR is in points of a hundred, the overlap is the share
of the ten best entities that are the same, both against ${code('fp32')} on validation queries at export.

${table([['Profile', 'Bytes', 'ΔMRR', 'Overlap@10', 'Queries'], ...rows])}`;
}
