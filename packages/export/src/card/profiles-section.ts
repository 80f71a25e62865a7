import type { Profile } from '@fuzzqe/bundle';
import { code, table } from './markdown.ts';

/** The profiles with their sizes and what they cost in quality; a single profile has nothing to be compared with. */
export function profilesSection({
  profiles,
}: {
  readonly profiles: Readonly<Record<string, Pick<Profile, 'bytes' | 'quality'>>>;
}): string {
  const all = Object.entries(profiles);
  const meaning = 'A profile is one stored form of the model.';
  if (all.length === 1)
    return `${meaning} The bundle has one, ${code(all[0]![0])}, with ${all[0]![1].bytes} bytes.`;
  const rows = all.map(([name, { bytes, quality }]) => {
    if ('reason' in quality) return [code(name), `${bytes}`, ...Array.from({ length: 6 }, () => '–')];
    const changes = [quality.embedding, quality.sets].flatMap(({ mrrChange, overlap10, queries }) => [
      (100 * mrrChange).toFixed(2),
      overlap10.toFixed(4),
      `${queries}`,
    ]);
    return [code(name), `${bytes}`, ...changes];
  });
  const reasons = all.flatMap(([name, { quality }]) =>
    'reason' in quality ? [`${code(name)} has no figures: ${quality.reason}.`] : [],
  );
  return [
    `${meaning} The change of MRR is in points of a hundred, the overlap is the share
of the ten best entities that are the same, both against ${code('fp32')} on validation queries at export, by embeddings
and by fuzzy sets.`,
    table([
      [
        'Profile',
        'Bytes',
        'ΔMRR',
        'Overlap@10',
        'Queries',
        'ΔMRR, sets',
        'Overlap@10, sets',
        'Queries, sets',
      ],
      ...rows,
    ]),
    ...(reasons.length === 0 ? [] : [reasons.join('\n')]),
  ].join('\n\n');
}
