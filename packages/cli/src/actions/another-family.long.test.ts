import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '@fuzzqe/bundle';
import type { Random } from '@fuzzqe/core';
import { add, concat, div, mul, scalar, slice, sqrt, sub, type Tensor } from '@fuzzqe/core/tensor';
import { familyOf, type ModelConfig } from '@fuzzqe/model';
import {
  absolute,
  addFamily,
  alone,
  byDistances,
  eachAlternative,
  leastOf,
  logicOfAlternatives,
  type OtherFamily,
  sumsOfColumns,
} from '@fuzzqe/model/families';
import { runParity } from '@fuzzqe/parity';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

/**
 * A family that another package adds: a query is a point in the complex plane of m / 2 dimensions, and a relation turns it.
 *
 * P_r(q) = q ∘ r / |r|, ∧ the mean of points, δ(q, e) = ‖e − q‖₁ over m real numbers.
 * An alternative of a query is a point and the number of operands that it is the mean of, m numbers each, so that d = 4m.
 * Source of the projection: Sun et al., "RotatE", ICLR 2019.
 */

const sizeOf = ({ dimension }: Pick<ModelConfig, 'dimension'>): number => dimension / 4;

/** The parts of an alternative. Shapes: [n, 2m] → [n, m] each. */
const partsOf = (x: Tensor, m: number): readonly [point: Tensor, count: Tensor] => [
  slice(x, 0, m, 1),
  slice(x, m, 2 * m, 1),
];

/** A point that is no mean. Shapes: [n, m] → [n, 2m]. */
const single = (point: Tensor): Tensor => concat([point, add(mul(point, scalar(0)), scalar(1))], 1);

/** P_r. Shapes: x [n, 2m] or [n, 4m], r [n, m] → as x. */
function turned(x: Tensor, relation: Tensor): Tensor {
  const m = relation.shape[1] as number;
  const halves = (numbers: Tensor): readonly [Tensor, Tensor] => [
    slice(numbers, 0, m / 2, 1),
    slice(numbers, m / 2, m, 1),
  ];
  const [c, s] = halves(relation);
  const length = sqrt(add(add(mul(c, c), mul(s, s)), scalar(1e-12)));
  const [cos, sin] = [div(c, length), div(s, length)];
  return eachAlternative(x, 2 * m, (each) => {
    const [re, im] = halves(partsOf(each, m)[0]);
    return single(concat([sub(mul(re, cos), mul(im, sin)), add(mul(re, sin), mul(im, cos))], 1));
  });
}

/** ∧: the mean of all operands, however they are nested. Shapes: [n, 2m] each → [n, 2m]. */
function meanOf(a: Tensor, b: Tensor, m: number): Tensor {
  const [[x, ofX], [y, ofY]] = [partsOf(a, m), partsOf(b, m)];
  const count = add(ofX, ofY);
  return concat([div(add(mul(x, ofX), mul(y, ofY)), count), count], 1);
}

function distances(config: ModelConfig, query: Tensor, entities: Tensor): Tensor {
  const m = sizeOf(config);
  return leastOf(query, 2 * m, (each) => {
    const [distance] = sumsOfColumns([partsOf(each, m)[0]], entities, ([q], e) => [absolute(sub(e, q!))]);
    return distance!;
  });
}

const normal = (count: number, random: Random): Float32Array =>
  Float32Array.from({ length: count }, () => 0.3 * random.normal());

const rotate: OtherFamily = {
  name: 'x-rotate',
  trains: ['entities', 'coefficients'],
  parameters: (config) => ({
    entities: [config.entities, sizeOf(config)],
    coefficients: [config.relations, sizeOf(config)],
  }),
  initialise: (config, random) => ({
    entities: normal(config.entities * sizeOf(config), random.fork('parameters', 'entities')),
    coefficients: normal(config.relations * sizeOf(config), random.fork('parameters', 'coefficients')),
  }),
  entity: (_, x) => x,
  anchor: (_, vectors, alternatives) => (alternatives === 1 ? single(vectors) : alone(single(vectors))),
  project: (_, { coefficients }, x) => turned(x, coefficients),
  projectFrom: (_, x, row) => turned(x, row('relationVectors')),
  logic: (config) => ({
    name: config.logic,
    ...logicOfAlternatives(2 * sizeOf(config), (a, b) => meanOf(a, b, sizeOf(config))),
  }),
  ...byDistances(distances),
  tables: (config) => [{ name: 'relationVectors', shape: [config.relations, sizeOf(config)] }],
  relationTables: (_, { coefficients }) => ({ relationVectors: coefficients }),
};

addFamily(rotate, { distances: 'positive' });

const training = {
  extends: 'countries',
  model: { relationForm: 'x-rotate', dimension: 64, projectionInput: 'raw' },
  loss: { name: 'margin', margin: -6, scale: 1 },
  negatives: { kind: 'own', count: 32, byDegree: 0, allFrom: 1 },
  ...{ batch: { '1p': 64 }, projection: 'outer', dropout: { input: 0, output: 0 }, regularisers: {} },
};

let folder: string;
const at = (...parts: readonly string[]): string => join(folder, ...parts);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-rotate-'));
  await writeFile(at('config.json'), JSON.stringify(training));
  await fuzzqe('data', 'countries', '--out', at('data'));
  await fuzzqe('data', 'sample', at('data'), '--train', '30', '--valid', '10', '--test', '10');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The mean MRR of a run in mode embedding after some steps. */
async function mrrAfter(steps: number, out: string): Promise<number> {
  const train = ['train', at('data'), '--config', at('config.json'), '--steps', `${steps}`, '--threads', '1'];
  expect(await fuzzqe(...train, '--out', out)).toMatchObject({ code: 0 });
  const flags = ['--data', at('data'), '--no-baselines', '--mode', 'embedding', '--json'];
  const { code, out: text } = await fuzzqe('evaluate', out, ...flags);
  expect(code).toBe(0);
  const { columns } = JSON.parse(text) as {
    columns: { metrics: { structures: Record<string, { mrr: number }> } }[];
  };
  return columns[0]!.metrics.structures['1p']!.mrr;
}

it('a family that another package adds learns, is exported, and answers as in float64', async () => {
  const trained = await mrrAfter(1000, at('run'));
  expect(trained).toBeGreaterThan(2 * (await mrrAfter(1, at('start'))));
  expect(await fuzzqe('export', at('run'), '--data', at('data'), '--out', at('bundle'))).toMatchObject({
    code: 0,
  });
  const manifest = JSON.parse(await readFile(at('bundle', 'manifest.json'), 'utf8')) as Manifest;
  expect(manifest.model.relationForm).toBe('x-rotate');
  const { cells, passed } = await runParity({
    ...{ bundle: at('bundle'), runtimes: ['node', 'javascript'], fresh: 2, trees: 3, seed: 1 },
  });
  expect(cells.flatMap(({ failures }) => failures)).toEqual([]);
  expect([passed, cells.length]).toEqual([true, 2]);
}, 300_000);

it('is added once, and a name that nobody added is refused', async () => {
  expect(() => addFamily(rotate, {})).toThrow(expect.objectContaining({ code: 'usage' }));
  expect(() => familyOf({ relationForm: 'x-other' })).toThrow(expect.objectContaining({ code: 'config' }));
  const other = { ...training, model: { ...training.model, relationForm: 'x-other' } };
  await writeFile(at('other.json'), JSON.stringify(other));
  const train = ['train', at('data'), '--config', at('other.json'), '--out', at('other')];
  expect(await fuzzqe(...train)).toMatchObject({ code: 2, notes: expect.stringContaining('"x-other"') });
});
