import { createRandom } from '@fuzzqe/core';
import { createQueriesBuilder, queryRow, type SampledQueries, sampleQuerySets } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { initialiseParameters } from '@fuzzqe/model';
import { loadTrainingConfig, type TrainingConfig } from '@fuzzqe/train';
import { beforeAll, describe, expect, it } from 'vitest';
import { createValidation, validatedQueries } from './validation.ts';

const dataset = tinyDataset('tiny', 1);
const { entityCount: entities, relationCount: relations } = dataset.graphs().train;
let queries: readonly SampledQueries[];
let config: TrainingConfig;
beforeAll(async () => {
  const sizes = { train: 0, valid: 4, test: 0 };
  queries = (await sampleQuerySets(dataset, { sizes, random: createRandom('validation') })).valid;
  const links = await loadTrainingConfig('links');
  config = { ...links, model: { ...links.model, dimension: 16 } };
});

const parameters = (seed: string) =>
  initialiseParameters({ ...config.model, entities, relations }, createRandom(seed));
const validationOf = (of: TrainingConfig, valid = queries) =>
  createValidation({ dataset, config: of, queries: valid, threads: 1 });
const inMode = (mode: 'sets' | 'embedding'): TrainingConfig => ({
  ...config,
  validation: { ...config.validation, mode },
});

/** The queries with hard answers for some rows alone. */
const withHard = (isHard: (row: number) => boolean) =>
  queries.map((set) => {
    const builder = createQueriesBuilder(set.shape);
    for (let row = 0; row < set.count; row += 1) {
      const query = queryRow(set, row);
      builder.add(isHard(row) ? query : { ...query, hard: [] });
    }
    return builder.build();
  });

describe('validation', () => {
  it('ranks in mode sets with the preset for any graph, unless the configuration says embedding', async () => {
    const usual = await validationOf(config)!(parameters('one'));
    expect(usual).toEqual(await validationOf(inMode('sets'))!(parameters('one')));
    const embedding = await validationOf(inMode('embedding'))!(parameters('one'));
    expect(embedding.mrr).not.toBe(usual.mrr);
    // Without training the facts and similar entities say more than the embedding.
    expect(usual.mrr).toBeGreaterThan(embedding.mrr);
    expect(Object.keys(usual.structures)).toHaveLength(14);
  });

  it('finds the same for the same parameters, and something else for others', async () => {
    const validate = validationOf(inMode('embedding'))!;
    const first = await validate(parameters('one'));
    expect(await validate(parameters('two'))).not.toEqual(first);
    expect(await validate(parameters('one'))).toEqual(first);
  });

  it('ranks queries with hard answers alone, and is undefined where there are none', async () => {
    const some = validatedQueries(withHard((row) => row > 1));
    expect(some.map(({ count }) => count)).toEqual(queries.map(({ count }) => count - 2));
    const validate = validationOf(
      inMode('embedding'),
      withHard((row) => row > 1),
    )!;
    expect(await validate(parameters('one'))).toEqual(
      await validationOf(inMode('embedding'), some)!(parameters('one')),
    );
    expect(
      validationOf(
        config,
        withHard(() => false),
      ),
    ).toBeUndefined();
    expect(validationOf(config, [])).toBeUndefined();
  });

  it('draws the same queries for every seed', async () => {
    const builder = createQueriesBuilder(queries[0]!.shape);
    for (let i = 0; i < 90; i += 1) builder.add(queryRow(queries[0]!, i % queries[0]!.count));
    const many = [builder.build()];
    const ranked = await validationOf({ ...inMode('sets'), seed: 1 }, many)!(parameters('one'));
    expect(ranked).toEqual(await validationOf({ ...inMode('sets'), seed: 2 }, many)!(parameters('one')));
  });
});
