import type { Manifest } from '@fuzzqe/bundle';
import { code, table } from './markdown.ts';

/** The profiles with their sizes and what they cost in quality. */
export function profilesSection({ profiles }: Pick<Manifest, 'profiles'>): string {
  const rows = Object.entries(profiles).map(([name, { bytes, quality }]) => {
    if ('reason' in quality) return [code(name), `${bytes}`, '', '', '', '', '', ''];
    const changes = [quality.embedding, quality.sets].flatMap(({ mrrChange, overlap10, queries }) => [
      (100 * mrrChange).toFixed(2),
      overlap10.toFixed(4),
      `${queries}`,
    ]);
    return [code(name), `${bytes}`, ...changes];
  });
  return `A profile is one stored form of the model. The change of MRR is in points of a hundred, the overlap is the share
of the ten best entities that are the same, both against ${code('fp32')} on validation queries at export, by embeddings
and by fuzzy sets.

${table([['Profile', 'Bytes', 'ΔMRR', 'Overlap@10', 'Queries', 'ΔMRR, sets', 'Overlap@10, sets', 'Queries, sets'], ...rows])}`;
}
