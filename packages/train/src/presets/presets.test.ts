import { describe, expect, it } from 'vitest';
import { loadTrainingConfig, presets } from './presets.ts';

describe('presets', () => {
  it('are complete configurations under their own names', async () => {
    for (const [name, preset] of Object.entries(presets)) {
      expect(preset.name).toBe(name);
      expect(await loadTrainingConfig(name)).toEqual(preset.training);
      expect(Object.values(preset.training.batch).some((count) => count > 0)).toBe(true);
    }
  });

  it('of the benchmark graphs differ from the one that they are read over', () => {
    const { countries, ...others } = presets;
    for (const preset of Object.values(others)) expect(preset.training).not.toEqual(countries.training);
  });

  it('are named where a name is none of theirs', async () => {
    await expect(loadTrainingConfig('fb15k')).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('fb15k-237'),
    });
  });
});
