import { createRandom, schema } from '@fuzzqe/core';
import {
  createProgram,
  evaluate,
  gather,
  input,
  type NumericTensor,
  numeric,
  type Tensor,
} from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { type ModelConfig, modelConfigSchema, plainModel } from '../../config/config.ts';
import { structuresOf } from '../../config/family-traits.ts';
import { linkScores, outerProjection } from '../../programs/formulas.ts';
import { initialiseParameters, numericParameters, trainedParameters } from '../../programs/parameters.ts';
import { complex } from './complex.ts';

const d = 6;
const config: ModelConfig = {
  ...plainModel,
  relationForm: 'complex',
  dimension: d,
  entities: 7,
  relations: 4,
};
const parameters = initialiseParameters(config, createRandom('complex'));
const all = Array.from({ length: config.entities }, (_, id) => id);

type Numbers = readonly number[];
const rowOf = (table: ArrayLike<number>, row: number): Numbers =>
  Array.from({ length: d }, (_, i) => table[row * d + i]!);

/** Re⟨h, r, conj(t)⟩ in plain numbers. */
function plainScore(h: Numbers, r: Numbers, t: Numbers): number {
  let sum = 0;
  for (let i = 0; i < d / 2; i += 1) {
    const j = i + d / 2;
    const re = h[i]! * r[i]! - h[j]! * r[j]!;
    const im = h[i]! * r[j]! + h[j]! * r[i]!;
    sum += re * t[i]! + im * t[j]!;
  }
  return sum;
}
const linkScore = (head: number, tail: number): number =>
  plainScore(
    rowOf(parameters.entities, head),
    rowOf(parameters.coefficients, 2),
    rowOf(parameters.entities, tail),
  );

/** Runs a piece of program of all heads along one relation. */
function run(piece: (projected: Tensor, entities: Tensor) => Tensor): NumericTensor {
  const trained = trainedParameters(config);
  const relations = input('relations', 'int', [all.length]);
  const coefficients = gather(trained.coefficients, relations);
  const projected = outerProjection(config, { coefficients }, trained.entities);
  const program = createProgram({
    name: 'piece',
    inputs: [relations],
    outputs: { of: piece(projected, trained.entities) },
  });
  const feeds = {
    relations: numeric(
      [all.length],
      Int32Array.from(all, () => 2),
    ),
  };
  return evaluate(program, { ...numericParameters(config, parameters), ...feeds })['of']!;
}

describe('ComplEx', () => {
  it('scores links as Re⟨h, r, conj(t)⟩, which is not symmetric', () => {
    const { data } = run((projected, entities) => linkScores(config, projected, entities));
    let asymmetric = 0;
    for (const head of all)
      for (const tail of all) {
        expect(data[head * all.length + tail]).toBeCloseTo(linkScore(head, tail), 12);
        if (Math.abs(linkScore(head, tail) - linkScore(tail, head)) > 1e-4) asymmetric += 1;
      }
    // Without the imaginary parts it would be.
    expect(asymmetric).toBeGreaterThan(0);
  });

  it('ranks by positive numbers in the order of scores, some of which are negative', () => {
    const order = (row: ArrayLike<number>): number[] => [...all].sort((a, b) => row[b]! - row[a]!);
    const { data } = run((projected, entities) => complex.scores(config, projected, entities));
    expect(Math.min(...data)).toBeGreaterThan(0);
    expect(run((x, entities) => complex.scores({ ...config, score: 'cosine' }, x, entities)).data).toEqual(
      data,
    );
    let negative = 0;
    for (const head of all) {
      const plain = all.map((tail) => linkScore(head, tail));
      negative += plain.filter((score) => score < 0).length;
      expect(order(data.subarray(head * all.length, (head + 1) * all.length))).toEqual(order(plain));
    }
    expect(negative).toBeGreaterThan(0);
  });

  it('keeps scores apart in float32 where a sigmoid does not', () => {
    const values = [-40, -39.9, -1, 0, 1, 39.9, 40];
    const scores = input('scores', 'float', [1, values.length]);
    const program = createProgram({
      name: 'φ',
      inputs: [scores],
      outputs: { of: complex.positive!(scores) },
    });
    const found = Float32Array.from(
      evaluate(program, { scores: numeric([1, values.length], values) })['of']!.data,
    );
    expect(found[3]).toBe(1);
    expect([...found]).toEqual([...new Set(found)].sort((a, b) => a - b));
    const sigmoids = Float32Array.from(values, (value) => 1 / (1 + Math.exp(-value)));
    expect(new Set(sigmoids).size).toBeLessThan(values.length);
  });

  it('gives features whose product with a relation is twice the score of the link', () => {
    // Tails are projected heads, so each head has another tail.
    const projected = run((x) => x).data;
    const { data } = run((x, entities) => complex.relationFeatures!(config, entities, x));
    const dot = (a: Numbers, b: Numbers): number => a.reduce((sum: number, x, i) => sum + x * b[i]!, 0);
    for (const head of all)
      for (let relation = 0; relation < config.relations; relation += 1) {
        const [h, r] = [rowOf(parameters.entities, head), rowOf(parameters.coefficients, relation)];
        const score = plainScore(h, r, rowOf(projected, head));
        expect(dot(rowOf(data, head), r)).toBeCloseTo(2 * score, 12);
      }
  });

  it('embeds links, and is refused with an odd dimension or centroids', () => {
    expect(structuresOf(config)).toEqual(['1p']);
    const pathsOf = (changes: Partial<ModelConfig>): string[] =>
      schema.issuesOf(modelConfigSchema, { ...config, ...changes }).map(({ path }) => path);
    expect(pathsOf({})).toEqual([]);
    expect(pathsOf({ dimension: 7 })).toEqual(['$.dimension']);
    expect(pathsOf({ projectionInput: 'domain' })).toEqual(['$.projectionInput']);
  });
});
