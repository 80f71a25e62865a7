import { access, cp, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { createProgram, evaluate, gather, input, numeric } from '@fuzzqe/core/tensor';
import {
  entityEmbedding,
  linkScores,
  numericParameters,
  relationProjection,
  relationWeights,
  trainedParameters,
} from '@fuzzqe/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportBundle } from '../bundle/export-bundle.ts';
import { randomGoldenQueries } from '../golden/golden-query.ts';
import { goldenFailures, goldenOf } from '../testing/golden-failures.ts';
import { openGraphs } from '../testing/run-graph.ts';
import { blocksConfig, sampleConfig, sampleExport } from '../testing/sample.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { trainedBlocks, wideBlocks } from '../testing/trained-blocks.ts';
import { weightsLayout } from '../weights/weights-writer.ts';
import type { ProfileName } from './profile.ts';
import { checkProfiles, profiles } from './profiles.ts';

const config = wideBlocks;
const { entities, relations, dimension: d } = config;
const parameters = trainedBlocks(config);
const stored = ['fp32', 'fp16', 'int8'] as const;
/** At which scores are logits that are as far apart as those of a trained model. */
const temperature = 17;

let folder: string;
let manifest: Manifest;
const bundle = (): string => join(folder, 'bundle');
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-blocks-'));
  const validation = randomGoldenQueries(config, 4, createRandom('asked')).map((query, i) => ({
    ...query,
    easy: [],
    hard: [i],
  }));
  manifest = await exportBundle({
    ...sampleExport(config),
    goldenQueries: randomGoldenQueries(config, 1, createRandom('golden')),
    parameters,
    directory: bundle(),
    profiles: stored,
    validation,
    validationBySets: 2,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const placeOf = (name: ProfileName, tensor: string) =>
  weightsLayout(profiles[name], config).places.get(tensor)!;

describe.each(stored)('blocks in %s', (name) => {
  it('are the trained numbers bit by bit, and answer as float64 does', async () => {
    const { offset, length } = placeOf(name, 'relationBlocks');
    const file = await readFile(join(bundle(), `models/${name}/weights.bin`));
    const rows = new Float32Array(Uint8Array.from(file.subarray(offset, offset + length)).buffer);
    expect(rows).toEqual(parameters.coefficients);
    expect(await goldenFailures(bundle(), manifest, name)).toEqual([]);
  });

  it('are found by the golden cases where the rows of two relations are in the place of each other', () =>
    inTemporaryFolder(async (root) => {
      const damaged = join(root, 'bundle');
      await cp(bundle(), damaged, { recursive: true });
      const [first] = (await goldenOf(bundle(), manifest, name)).cases;
      const one = first!.relations[0]!;
      const other = (one + 1) % relations;
      const { offset } = placeOf(name, 'relationBlocks');
      const row = (relation: number) => parameters.coefficients.slice(relation * d, (relation + 1) * d);
      const file = await open(join(damaged, `models/${name}/weights.bin`), 'r+');
      for (const [at, of] of [
        [one, other],
        [other, one],
      ] as const)
        await file.write(new Uint8Array(row(of).buffer), 0, 4 * d, offset + 4 * d * at);
      await file.close();
      const found = (await goldenFailures(damaged, manifest, name)).join('\n');
      for (const of of ['embedding', 'scores', 'by sets']) expect(found).toContain(of);
    }));
});

/** τ·2d (S − mean S)·p of links, in float64 from the trained tensors. */
function expectedLogits(heads: readonly number[], along: readonly number[]): ArrayLike<number> {
  const trained = trainedParameters(config);
  const table = entityEmbedding(config, trained.entities);
  const [head, relation] = [input('heads', 'int', ['n']), input('relations', 'int', ['n'])];
  const projected = relationProjection(
    config,
    relationWeights(config, trained),
    gather(table, head),
    relation,
  );
  const program = createProgram({
    name: 'scores',
    inputs: [head, relation],
    outputs: { scores: linkScores(config, projected, table) },
  });
  const { data } = evaluate(program, {
    ...numericParameters(config, parameters),
    heads: numeric([heads.length], heads),
    relations: numeric([along.length], along),
  })['scores']!;
  return data.map((score) => temperature * score);
}

describe('the logits of links', () => {
  const count = 4 * relations;
  const random = createRandom('links');
  const heads = Array.from({ length: count }, () => random.below(entities));
  const along = heads.map((_, i) => i % relations);

  /** The standard deviation and the largest of what the graph of a profile is off by, over links with all entities. */
  async function offBy(directory: string, name: ProfileName) {
    const expected = expectedLogits(heads, along);
    const graphs = openGraphs(directory);
    const { scores } = await graphs.run(manifest.profiles[name]!.links, {
      heads: numeric([count], heads),
      relations: numeric([count], along),
    });
    await graphs.close();
    let [squares, largest, spread] = [0, 0, 0];
    scores!.data.forEach((score, i) => {
      const off = temperature * score - expected[i]!;
      squares += off ** 2;
      spread += expected[i]! ** 2;
      largest = Math.max(largest, Math.abs(off));
    });
    const deviation = Math.sqrt(squares / scores!.data.length);
    return { deviation, largest, spread: Math.sqrt(spread / scores!.data.length) };
  }

  it.each([
    ['fp32', 1e-5, 1e-4],
    ['fp16', 5e-3, 0.03],
    ['int8', 0.02, 0.12],
  ] as const)('are in %s off by no more than a deviation of %f', async (name, most, mostOfAny) => {
    const { deviation, largest, spread } = await offBy(bundle(), name);
    // As far apart as those of a trained model, or nothing would be said.
    expect(spread).toBeGreaterThan(1);
    expect(deviation).toBeLessThan(most);
    expect(largest).toBeLessThan(mostOfAny);
  });

  it('are off by more where the scales of entities are a twentieth too large', () =>
    inTemporaryFolder(async (root) => {
      const damaged = join(root, 'bundle');
      await cp(bundle(), damaged, { recursive: true });
      const path = join(damaged, 'models/int8/weights.bin');
      const { offset: at, length } = placeOf('int8', 'entityScales');
      const bytes = Uint8Array.from((await readFile(path)).subarray(at, at + length));
      const scales = new Float32Array(bytes.buffer).map((value) => 1.05 * value);
      const file = await open(path, 'r+');
      await file.write(new Uint8Array(scales.buffer), 0, length, at);
      await file.close();
      expect((await offBy(damaged, 'int8')).deviation).toBeGreaterThan(0.03);
    }));
});

it('rank in every profile as in fp32, by embeddings and by sets', () => {
  for (const [name, least] of [
    ['fp16', 0.995],
    ['int8', 0.99],
  ] as const) {
    const { quality } = manifest.profiles[name]!;
    if ('reason' in quality) throw new Error(quality.reason);
    expect(quality.embedding.queries).toBe(56);
    expect(quality.embedding.overlap10).toBeGreaterThanOrEqual(least);
    expect(quality.sets.overlap10).toBeGreaterThanOrEqual(least);
  }
});

describe('int8-basis', () => {
  it('is refused for blocks with the reason, before anything is written', () =>
    inTemporaryFolder(async (root) => {
      const directory = join(root, 'bundle');
      const given = { ...sampleExport(blocksConfig), directory };
      const reason =
        'the model cannot have the profile int8-basis: its relations are blocks and have no bases; int8 is as small';
      await expect(exportBundle({ ...given, profiles: ['fp32', 'int8-basis'] })).rejects.toMatchObject({
        code: 'usage',
        path: 'profiles',
        message: reason,
      });
      await expect(access(directory)).rejects.toThrow('ENOENT');
      expect(() => checkProfiles(blocksConfig, ['int8-basis'])).toThrow(reason);
      expect(() => checkProfiles(sampleConfig, ['int8-basis'])).not.toThrow();
    }));

  it.each([[['fp99']], [['fp32', 'fp32']], [[]], ['fp32'], [[undefined]]])(
    'refuses %j, which are no profiles, before anything is written',
    (names) =>
      inTemporaryFolder(async (folder) => {
        const directory = join(folder, 'bundle');
        // Callers without types can ask so.
        const profiles = names as ProfileName[];
        await expect(exportBundle({ ...sampleExport(), directory, profiles })).rejects.toMatchObject({
          code: 'usage',
          path: 'profiles',
          message: expect.stringContaining('expected one or more different profiles, got '),
        });
        await expect(access(directory)).rejects.toThrow('ENOENT');
      }),
  );

  it.each([
    ['workers', blocksConfig, 'int8'],
    ['workers', sampleConfig, 'int8-basis'],
    ['node', blocksConfig, 'fp32'],
  ] as const)('is not what %s gets by default where it cannot be', (target, model, name) =>
    inTemporaryFolder(async (root) => {
      const directory = join(root, 'bundle');
      const { profiles: written } = await exportBundle({ ...sampleExport(model), directory, target });
      expect(Object.keys(written)).toEqual([name]);
    }),
  );
});

it('a bundle says of its relations only where they are blocks, in its manifest and in its graphs', () =>
  inTemporaryFolder(async (root) => {
    for (const [model, said] of [
      [sampleConfig, false],
      [blocksConfig, true],
    ] as const) {
      const directory = join(root, model.relationForm);
      await exportBundle({ ...sampleExport(model), directory });
      for (const path of ['manifest.json', 'models/fp32/project.onnx'])
        expect((await readFile(join(directory, path), 'latin1')).includes('relationForm')).toBe(said);
      const card = await readFile(join(directory, 'README.md'), 'utf8');
      expect(card).toContain(said ? '| Relations | blocks |' : '| Bases K | 4 |');
    }
  }));
