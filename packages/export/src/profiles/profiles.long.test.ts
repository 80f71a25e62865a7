import { cp, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Manifest, profileGraphs } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { structures } from '@fuzzqe/core/query';
import {
  add,
  createProgram,
  decodeHalf,
  evaluate,
  input,
  matmul,
  type NumericTensor,
  numeric,
} from '@fuzzqe/core/tensor';
import { basesOf, type ModelConfig, projectionInput, projectionOutput, scoreNames } from '@fuzzqe/model';
import { checkOnnx, decodeOnnx } from '@fuzzqe/onnx';
import { afterAll, describe, expect, it } from 'vitest';
import { exportBundle } from '../bundle/export-bundle.ts';
import { answer, goldenFailures, goldenOf } from '../testing/golden-failures.ts';
import { difference, type OpenGraphs, openGraphs } from '../testing/run-graph.ts';
import { blocksConfig, sampleConfig, sampleExport } from '../testing/sample.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { weightsLayout } from '../weights/weights-writer.ts';
import { type ProfileName, profileNames } from './profile.ts';
import { profiles } from './profiles.ts';

const ofBases: readonly ModelConfig[] = logicNames.flatMap((logic, i) =>
  (['raw', 'l2'] as const).map((projectionInput, j) => ({
    ...sampleConfig,
    logic,
    projectionInput,
    negationLambda: [0, 0.5][j]!,
    mapping: (i + j) % 2 === 0 ? 'logistic' : 'boundedRectifier',
    entityNormalisation: j === 0 ? 'l1' : 'l2',
    score: i === 0 ? 'cosine' : 'innerProduct',
    // More than the least number of candidates, so that some entities are left out.
    entities: 300,
  })),
);
const ofBlocks = logicNames.map(
  (logic): ModelConfig => ({
    ...blocksConfig,
    ...{ logic, negationLambda: -0.6, entities: 300 },
    projectionInput: logic === 'product' ? 'domain' : 'lengthened',
  }),
);
const variants = [...ofBases, ...ofBlocks];
/** The profiles that a model can have. */
const profilesFor = (config: ModelConfig): ProfileName[] =>
  profileNames.filter((name) => profiles[name].refusal(config) === undefined);
interface Exported {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly graphs: OpenGraphs;
}

const folders: string[] = [];
const bundles = new Map<ModelConfig, Promise<Exported>>();
afterAll(async () => {
  for (const bundle of bundles.values()) await (await bundle).graphs.close();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

/** The bundle of a model in every profile, written once; whoever changes it takes a copy. */
function exported(config: ModelConfig): Promise<Exported> {
  const bundle = bundles.get(config) ?? write(config);
  bundles.set(config, bundle);
  return bundle;
}

async function write(config: ModelConfig): Promise<Exported> {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-profiles-'));
  folders.push(folder);
  const directory = join(folder, 'bundle');
  const manifest = await exportBundle({ ...sampleExport(config), directory, profiles: profilesFor(config) });
  return { directory, manifest, graphs: openGraphs(directory) };
}

const forms = [sampleConfig, blocksConfig].map((config) => [config.relationForm, config] as const);

describe('every profile', () => {
  it.each(
    variants.map((config) => {
      const { relationForm, logic, projectionInput, mapping } = config;
      return [[relationForm, logic, projectionInput, mapping].join(' '), config] as const;
    }),
  )('answers like the float64 meaning of its own programs: %s', async (_, config) => {
    const { directory, manifest } = await exported(config);
    for (const name of profilesFor(config))
      expect(await goldenFailures(directory, manifest, name), name).toEqual([]);
  });

  it.each(
    [ofBases[0]!, ofBlocks[0]!].flatMap((config) =>
      profilesFor(config).map((name) => [config.relationForm, name, config] as const),
    ),
  )('ranks what is allowed as if there were nothing else: %s %s', async (_, name, config) => {
    const { entities } = config;
    const { graphs, manifest } = await exported(config);
    const profile = manifest.profiles[name]!;
    const query = [{ anchors: [3, 77], relations: [0, 5] }];
    const all = await answer(graphs, profile, '2i', query, entities);
    const rankOf = async (allowed: ReadonlySet<number>, k: number): Promise<NumericTensor[]> => {
      const mask = Float32Array.from({ length: entities }, (_, id) => (allowed.has(id) ? 1 : 0));
      const { ids, scores } = await answer(graphs, profile, '2i', query, k, numeric([1, entities], mask));
      return [ids, scores];
    };
    const places = Array.from({ length: entities }, (_, place) => place);
    // Every other of all, and the last alone, which no candidate would be if all were allowed.
    for (const kept of [places.filter((place) => place % 2 === 1), places.slice(-3)]) {
      const wanted = kept.map((place) => all.ids.data[place]!);
      for (const k of [2, 10, entities]) {
        const [ids, scores] = (await rankOf(new Set(wanted), k)) as [NumericTensor, NumericTensor];
        const count = Math.min(k, kept.length);
        expect(Array.from(ids.data.slice(0, count))).toEqual(wanted.slice(0, count));
        expect(Array.from(scores.data.slice(0, count))).toEqual(
          kept.slice(0, count).map((place) => all.scores.data[place]!),
        );
        expect(scores.data.slice(count).every((score) => score === -1)).toBe(true);
        expect(new Set(ids.data).size).toBe(k);
      }
    }
  });

  it.each(forms)('has valid graphs, and its weights where they say: %s', async (_, config) => {
    const { directory, manifest } = await exported(config);
    for (const name of profilesFor(config)) {
      const profile = manifest.profiles[name]!;
      for (const { path } of profileGraphs(profile))
        checkOnnx(decodeOnnx(await readFile(join(directory, path))), {
          externalSize: (location) => manifest.files[`models/${name}/${location}`]?.bytes,
        });
      const own = Object.entries(manifest.files).filter(([path]) => path.startsWith(`models/${name}/`));
      expect(profile.bytes).toBe(own.reduce((sum, [, { bytes }]) => sum + bytes, 0));
    }
  });

  it('can stand alone, with the same weights and golden cases', () =>
    inTemporaryFolder(async (root) => {
      const { directory: all } = await exported(sampleConfig);
      const alone = join(root, 'alone');
      await exportBundle({ ...sampleExport(), directory: alone, profiles: ['int8-basis'] });
      for (const path of ['models/int8-basis/weights.bin', 'models/int8-basis/golden.json'])
        expect(await readFile(join(alone, path)), path).toEqual(await readFile(join(all, path)));
    }));
});

describe.each([
  ['int8', 'bases', ofBases[1]!],
  ['int8-basis', 'bases', ofBases[1]!],
  ['int8', 'blocks', ofBlocks[0]!],
] as const)('%s with %s', (name, form, config) => {
  it('answers a query alone as in a batch, bit by bit', async () => {
    const {
      graphs,
      manifest: { profiles: written },
    } = await exported(config);
    const random = createRandom('batch', name);
    for (const structure of ['1p', '3p', 'up', 'pni'] as const) {
      const draw = (count: number, below: number): number[] =>
        Array.from({ length: count }, () => random.below(below));
      const rows = Array.from({ length: 4 }, () => ({
        anchors: draw(structures[structure].anchors, config.entities),
        relations: draw(structures[structure].relations, config.relations),
      }));
      const run = (some: typeof rows) => answer(graphs, written[name]!, structure, some, 20);
      const together = await run(rows);
      for (const [i, row] of rows.entries())
        for (const [output, { shape, data }] of Object.entries(await run([row])))
          expect(data, `${structure} ${output}`).toEqual(
            together[output as keyof typeof together].data.slice(i * shape[1]!, (i + 1) * shape[1]!),
          );
    }
  });

  const scored = form === 'blocks' ? [config] : scoreNames.map((score) => ({ ...ofBases[0]!, score }));
  it.each(scored.map((each) => [each.score, each] as const))(
    'gives exact scores of its own rows, in order, for any k: %s',
    async (score, config) => {
      const {
        directory,
        graphs,
        manifest: { profiles: written },
      } = await exported(config);
      const { offset, length } = weightsLayout(profiles[name], config).places.get('entityRows')!;
      const file = await readFile(join(directory, `models/${name}/weights.bin`));
      const table = Array.from({ length: length / 2 }, (_, i) =>
        decodeHalf(file.readUInt16LE(offset + 2 * i)),
      );
      const d = config.dimension;
      const lengthOf = (e: number): number => Math.hypot(...table.slice(e * d, (e + 1) * d));
      const rows = table.map((value, at) =>
        score === 'cosine' ? value / lengthOf(Math.floor(at / d)) : value,
      );
      for (const k of [1, 10, 100, 299, 300]) {
        const query = { anchors: [3, 77], relations: [0, 5] };
        const got = await answer(graphs, written[name]!, '2i', [query], k);
        const { ids, scores, embedding } = got;
        const S = Array.from(embedding.data);
        // With blocks what a stored number is off by counts by what S is off its mean.
        const centre = form === 'blocks' ? S.reduce((sum, value) => sum + value / d, 0) : 0;
        const all = Array.from({ length: config.entities }, (_, e) =>
          S.reduce((sum, value, i) => sum + (value - centre) * rows[e * d + i]!, centre),
        );
        const order = all.map((_, e) => e).sort((a, b) => all[b]! - all[a]! || a - b);
        const of = (chosen: Iterable<number>): NumericTensor =>
          numeric(
            scores.shape,
            Array.from(chosen, (e) => all[e]!),
          );
        expect(new Set(ids.data).size).toBe(k);
        expect(difference(scores, of(ids.data), { absolute: 1e-6, relative: 1e-6 })).toBeUndefined();
        expect(difference(scores, of(order.slice(0, k)), { absolute: 1e-6, relative: 1e-5 })).toBeUndefined();
      }
    },
  );

  it(`fails its golden cases when ${form === 'blocks' ? 'a number of a block' : 'the scale of one column'} is wrong`, () =>
    inTemporaryFolder(async (root) => {
      const { directory: whole, manifest } = await exported(config);
      const directory = join(root, 'bundle');
      await cp(whole, directory, { recursive: true });
      const scales = name === 'int8' ? 'relationWeightsScales' : 'relationBasesScales';
      const tensor = form === 'blocks' ? 'relationBlocks' : scales;
      const { offset } = weightsLayout(profiles[name], config).places.get(tensor)!;
      const [first] = (await goldenOf(directory, manifest, name)).cases;
      const column = name === 'int8' ? first!.relations[0]! * config.dimension + 3 : 3;
      const path = join(directory, `models/${name}/weights.bin`);
      const scale = (await readFile(path)).readFloatLE(offset + 4 * column);
      const file = await open(path, 'r+');
      await file.write(new Uint8Array(Float32Array.of(2 * scale).buffer), 0, 4, offset + 4 * column);
      await file.close();
      expect(await goldenFailures(directory, manifest, name)).not.toEqual([]);
    }));
});

describe('relations in int8-basis', () => {
  const config = ofBases[1]!;
  const { bases: count, dimension: d, relations } = config;
  /** The numbers of a tensor of the weights file. */
  async function stored(name: string): Promise<number[]> {
    const { directory } = await exported(config);
    const { offset, length } = weightsLayout(profiles['int8-basis'], config).places.get(name)!;
    const bytes = (await readFile(join(directory, 'models/int8-basis/weights.bin'))).subarray(
      offset,
      offset + length,
    );
    if (name === 'relationBases') return Array.from(bytes, (_, at) => bytes.readInt8(at));
    return Array.from({ length: length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
  }
  const tables = async () => ({
    codes: await stored('relationBases'),
    scales: await stored('relationBasesScales'),
    shares: await stored('relationCoefficients'),
    biases: await stored('relationBiases'),
  });

  const { parameters } = sampleExport(config);
  /** The tables of smaller bases, one of them of zeros. */
  function withoutBasis(left: number): Awaited<ReturnType<typeof tables>> {
    const bases = basesOf(parameters).bases.map((value, at) =>
      Math.floor(at / (d * d)) === left ? 0 : value / 32,
    );
    const conversion = profiles['int8-basis'].convert(config, { ...parameters, bases });
    // Its typical input is that of these entities.
    for (const _ of conversion.entities(parameters.entities));
    const chunks = [...conversion.tables({ relationBiases: new Float32Array(relations * d) })];
    const bytes = (name: string) =>
      Uint8Array.from(chunks.flatMap((chunk) => (chunk.tensor === name ? [...chunk.bytes] : [])));
    const floats = (name: string) => Array.from(new Float32Array(bytes(name).buffer));
    return {
      codes: Array.from(new Int8Array(bytes('relationBases').buffer)),
      scales: floats('relationBasesScales'),
      shares: floats('relationCoefficients'),
      biases: floats('relationBiases'),
    };
  }

  it.each([
    ['every basis', undefined, 5e-4],
    ['a first basis of zeros', 0, 5e-4],
    ['a last basis of zeros', count - 1, 5e-4],
  ])(
    'are projected by Σ α_rj M_j of the stored bases, up to the codes of activations: %s',
    async (_, left, most) => {
      const { codes, scales, shares, biases } = left === undefined ? await tables() : withoutBasis(left);
      const shape = [6, d];
      const random = createRandom('members');
      const members = numeric(
        shape,
        Float32Array.from({ length: 6 * d }, () => random.uniform()),
      );
      const x = input('x', 'float', shape);
      const along = input('relations', 'int', [6]);
      const matrix = input('matrix', 'float', [d, d]);
      const bias = input('bias', 'float', [1, d]);
      const together = createProgram({
        name: 'together',
        inputs: [x, along],
        outputs: { projected: profiles['int8-basis'].model(config).project(x, along) },
      });
      const affine = add(matmul(projectionInput(config, x), matrix), bias);
      const plain = createProgram({
        name: 'plain',
        inputs: [x, matrix, bias],
        outputs: { projected: projectionOutput(config, affine) },
      });
      const stores = {
        relationBases: numeric([d, count * d], codes),
        relationBasesScales: numeric([count * d], scales),
        relationBiases: numeric([relations, d], biases),
        relationCoefficients: numeric([relations, count], shares),
      };
      const worst = (one: number, other: number): number => {
        const W = Float64Array.from({ length: d * d }, (_, at) => {
          const [row, column] = [Math.floor(at / d), at % d];
          let sum = 0;
          for (let j = 0; j < count; j += 1) {
            const place = j * d + column;
            sum += shares[other * count + j]! * scales[place]! * codes[row * count * d + place]!;
          }
          return sum;
        });
        const given = { x: members, matrix: numeric([d, d], W) };
        const own = numeric([1, d], biases.slice(other * d, (other + 1) * d));
        const expected = evaluate(plain, { ...given, bias: own })['projected']!.data;
        const same = numeric([6], new Array(6).fill(one));
        const got = evaluate(together, { ...stores, x: members, relations: same })['projected']!.data;
        return Math.max(...Array.from(got, (value, at) => Math.abs(value - expected[at]!)));
      };
      for (let of = 0; of < relations; of += 1) expect(worst(of, of)).toBeLessThan(most);
      expect(worst(0, 1)).toBeGreaterThan(1e-2);
    },
  );

  it('have bases with one factor for all columns, so that they are summed as a product of matrices', async () => {
    const { codes, scales } = await tables();
    const { bases } = basesOf(sampleExport(config).parameters);
    const factors = new Set<number>();
    const ends = new Set<number>();
    for (let j = 0; j < count; j += 1)
      for (let c = 0; c < d; c += 1) {
        const scale = scales[j * d + c]!;
        expect((scale * scales[0]!) / (scales[j * d]! * scales[c]!)).toBeCloseTo(1, 6);
        factors.add(scales[j * d]!);
        for (let row = 0; row < d; row += 1) {
          expect(Math.abs(bases[(j * d + row) * d + c]!)).toBeLessThanOrEqual(127.001 * scale);
          if (Math.abs(codes[row * count * d + j * d + c]!) === 127) ends.add(j);
        }
      }
    expect(factors.size).toBe(count);
    // The least such factors: every basis has a number at the end of the codes.
    expect(ends.size).toBe(count);
  });
});
