import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'have none that every object has: %s is neither a preset nor a file nor a key',
    async (name) => {
      await expect(loadTrainingConfig(name)).rejects.toMatchObject({ code: 'usage', path: name });
      const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-config-'));
      const path = join(folder, 'config.json');
      for (const text of [
        `{"${name}": {"steps": 1}}`,
        `{"loss": {"${name}": 1}}`,
        `{"batch": {"${name}": 1}}`,
      ]) {
        await writeFile(path, text);
        await expect(loadTrainingConfig(path), text).rejects.toMatchObject({
          code: 'config',
          message: expect.stringContaining(name),
        });
      }
      await rm(folder, { recursive: true });
    },
  );

  it('are told from what is no file', async () => {
    await expect(loadTrainingConfig(tmpdir())).rejects.toMatchObject({
      code: 'config',
      message: 'file: expected one to read, got a folder',
    });
  });
});
