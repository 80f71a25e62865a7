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

  it('say of their figures how they are made with them, not with what is trained by default', () => {
    const commands = Object.values(presets).flatMap((preset) => {
      const { name, expected } = preset as typeof preset & {
        readonly expected?: { readonly command?: string };
      };
      return (expected?.command ?? '').split(' && ').map((each) => ({ name, each }));
    });
    const trainings = commands.filter(({ each }) => each.startsWith('fuzzqe train '));
    expect(trainings.length).toBeGreaterThan(5);
    // What is trained where nothing is named.
    for (const { name, each } of trainings)
      expect(/ --config (\S+)/.exec(each)?.[1] ?? 'links', each).toBe(name);
  });

  it('can be extended by a file, whether it is a configuration or has one under training', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-config-'));
    const path = join(folder, 'config.json');
    const links = presets['fb15k-237-links'].training;
    for (const file of [
      { $schema: 'schema.json', extends: 'fb15k-237-links', model: { dimension: 32 } },
      { extends: 'fb15k-237-links', training: { model: { dimension: 32 } } },
    ]) {
      await writeFile(path, JSON.stringify(file));
      const { model, ...others } = await loadTrainingConfig(path);
      expect({ ...others, model: { ...model, dimension: links.model.dimension } }).toEqual(links);
      expect(model.dimension).toBe(32);
    }
    await writeFile(path, JSON.stringify({ model: { dimension: 32 } }));
    expect((await loadTrainingConfig(path)).batch).toEqual(presets.countries.training.batch);
    for (const name of ['fb15k-237-link', 'toString', 7, null]) {
      await writeFile(path, JSON.stringify({ extends: name }));
      await expect(loadTrainingConfig(path)).rejects.toMatchObject({
        code: 'config',
        path,
        message: `extends: expected the name of a preset, got ${JSON.stringify(name)}`,
      });
    }
    await rm(folder, { recursive: true });
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
      message: 'file: expected a file, got a folder',
    });
  });
});
