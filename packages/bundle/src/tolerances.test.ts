import { describe, expect, it } from 'vitest';
import { sampleBundle } from './testing/sample-bundle.ts';
import { parityTolerances, profileTolerances, tolerancesOf } from './tolerances.ts';

describe('tolerances', () => {
  it.each(['fp32', 'fp16', 'int8', 'int8-basis'] as const)('are those of the table: %s', (profile) => {
    expect(tolerancesOf(profile)).toEqual(profileTolerances[profile]);
  });

  it('of a profile that this version does not know are those of fp32', () => {
    expect(tolerancesOf('fp8')).toEqual(profileTolerances.fp32);
    expect(tolerancesOf('toString')).toEqual(profileTolerances.fp32);
  });

  it('of a manifest are believed up to those of the table', async () => {
    const { manifest } = await sampleBundle();
    const withDegree = (relative: number) => {
      const profile = manifest.profiles['fp32']!;
      const degree = { absolute: 0, relative };
      return {
        ...manifest,
        profiles: { fp32: { ...profile, tolerances: { ...profile.tolerances, degree } } },
      };
    };
    const most = profileTolerances.fp32.degree.relative;
    expect(parityTolerances(withDegree(most), 'fp32').degree.relative).toBe(most);
    expect(() => parityTolerances(withDegree(2 * most), 'fp32')).toThrow(
      'tolerances.degree.relative of fp32',
    );
  });
});
