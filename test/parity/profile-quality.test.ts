import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseGolden } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { defaultSets, exportBundle, randomGoldenQueries, type ValidationQuery } from '@fuzzqe/export';
import { expect, it } from 'vitest';
import { builtOnce } from '../fixtures/built-once.ts';
import { trainedModel } from '../fixtures/trained-model.ts';

it('int8 profiles of a trained model keep its ten best entities', async () => {
  const folder = await builtOnce('trained-profiles', async (target) => {
    const model = await trainedModel('product');
    // The model's own best answer stands for a held-out one: the change of its rank is what quantisation does.
    const asked = randomGoldenQueries(model.config, 6, createRandom('profile quality'));
    const first = join(target, 'first');
    const sets = defaultSets(model.config);
    const common = { ...model, sets, name: 'trained', training: {}, metrics: {}, k: 10 };
    await exportBundle({ ...common, directory: first, goldenQueries: asked });
    const { cases } = parseGolden(JSON.parse(await readFile(join(first, 'models/fp32/golden.json'), 'utf8')));
    const validation = cases.map(
      ({ structure, anchors, relations, ids }): ValidationQuery => ({
        structure,
        anchors,
        relations,
        easy: [],
        hard: [ids[0]!],
      }),
    );
    await exportBundle({
      ...common,
      directory: join(target, 'bundle'),
      profiles: ['fp32', 'int8', 'int8-basis'],
      validation,
      validationBySets: 6,
    });
  });
  const { cases } = parseGolden(
    JSON.parse(await readFile(join(folder, 'first/models/fp32/golden.json'), 'utf8')),
  );
  expect(cases).toHaveLength(84);
  const { profiles } = JSON.parse(await readFile(join(folder, 'bundle/manifest.json'), 'utf8'));
  for (const name of ['int8', 'int8-basis']) {
    // Degrees of a set fall over many powers of ten: far down its list, less than what a code rounds away tells entities apart.
    for (const [mode, least] of [['embedding', 0.99] as const, ['sets', 0.98] as const]) {
      expect(profiles[name].quality[mode].queries).toBe(cases.length);
      expect(profiles[name].quality[mode].overlap10, `${name} ${mode}`).toBeGreaterThanOrEqual(least);
    }
  }
});
