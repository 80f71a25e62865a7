import { createRandom } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import { createProgram, evaluate, input, numeric } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { type ModelConfig, plainModel } from '../../config/config.ts';
import { initialiseParameters } from '../../programs/parameters.ts';
import { plainDeviations } from '../../testing/plain-deviations.ts';
import { betae, betaeDm } from './betae.ts';

const m = 3;
const sizes = { entities: 7, relations: 4 };
const config: ModelConfig = { ...plainModel, ...sizes, relationForm: 'betae', dimension: 8 * m };
const byDeMorgan: ModelConfig = { ...config, relationForm: 'betaeDm', dimension: 4 * m };
const random = createRandom('betae');
const start = initialiseParameters(config, random);
const moved = (layer: Float32Array): Float32Array => layer.map((value) => value + 0.2 * random.normal());
// Biases count, too, and entities differ by more than at the start.
const parameters = {
  entities: start.entities.map((value) => 3 * value),
  coefficients: start.coefficients,
  setAttention: moved(start.setAttention!),
  hopInput: moved(start.hopInput!),
  hopHidden: moved(start.hopHidden!),
  hopOutput: moved(start.hopOutput!),
};

type Vector = readonly number[];
const each = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const row = (table: Float32Array, at: number, width: number): number[] =>
  Array.from(table.subarray(at * width, (at + 1) * width));
const relu = (x: Vector): number[] => x.map((value) => Math.max(value, 0));
const positive = (x: Vector): number[] => x.map((value) => Math.max(value + 1, 0.05));

/** Columns `from` to `to` of a layer [inputs + 1, width]. */
const layer = (
  weights: Float32Array,
  width: number,
  x: Vector,
  [from, to]: readonly [number, number] = [0, width],
  hasBias = true,
): number[] =>
  each(to - from, (column) =>
    x.reduce(
      (sum, value, i) => sum + value * weights[i * width + from + column]!,
      hasBias ? weights[x.length * width + from + column]! : 0,
    ),
  );

/** ln Γ and ψ by 200 steps of the recurrence, after which few terms are enough. */
function gammas(x: number): readonly [lgamma: number, digamma: number] {
  let [product, reciprocals, y] = [0, 0, x];
  for (; y < x + 200; y += 1) [product, reciprocals] = [product + Math.log(y), reciprocals + 1 / y];
  const stirling =
    (y - 0.5) * Math.log(y) - y + Math.log(2 * Math.PI) / 2 + 1 / (12 * y) - 1 / (360 * y ** 3);
  return [
    stirling - product,
    Math.log(y) - 1 / (2 * y) - 1 / (12 * y ** 2) + 1 / (120 * y ** 4) - reciprocals,
  ];
}
const lnBeta = (a: number, b: number): number => gammas(a)[0] + gammas(b)[0] - gammas(a + b)[0];

/** KL(Beta(a, b) ; Beta(c, d)). */
function divergence([a, b]: readonly [number, number], [c, d]: readonly [number, number]): number {
  const [ofA, ofB, ofSum] = [a, b, a + b].map((x) => gammas(x)[1]) as [number, number, number];
  return lnBeta(c, d) - lnBeta(a, b) + (a - c) * ofA + (b - d) * ofB + (c - a + d - b) * ofSum;
}

/** The paper's formulas in plain numbers: a query is α, then β. */
const entity = (id: number): number[] => positive(row(parameters.entities, id, 2 * m));
const hop = (x: Vector, relation: number): number[] => {
  const first = layer(parameters.hopInput, 4 * m, [...x, ...row(parameters.coefficients, relation, m)]);
  return positive(layer(parameters.hopOutput, 2 * m, relu(layer(parameters.hopHidden, 4 * m, relu(first)))));
};
const and = (...operands: readonly Vector[]): number[] => {
  const weights = operands.map((x) => {
    const first = relu(layer(parameters.setAttention, 3 * m, x, [0, 2 * m]));
    return layer(parameters.setAttention, 3 * m, first, [2 * m, 3 * m], false).map(Math.exp);
  });
  return each(2 * m, (i) => {
    const total = weights.reduce((sum, of) => sum + of[i % m]!, 0);
    return operands.reduce((sum, x, at) => sum + (weights[at]![i % m]! / total) * x[i]!, 0);
  });
};
const not = (x: Vector): number[] => x.map((value) => 1 / value);
const distance = (alternatives: readonly Vector[], id: number): number =>
  Math.min(
    ...alternatives.map((query) =>
      each(m, (i) => {
        const e = entity(id);
        return divergence([e[i]!, e[i + m]!], [query[i]!, query[i + m]!]);
      }).reduce((sum, value) => sum + value, 0),
    ),
  );
const path = (id: number, ...relations: readonly number[]): number[] => relations.reduce(hop, entity(id));
const orByDeMorgan = (a: Vector, b: Vector): number[] => not(and(not(a), not(b)));

const positiveAndNegated: readonly [StructureName, number[], number[], Vector[]][] = [
  ['1p', [1], [0], [path(1, 0)]],
  ['3p', [1], [0, 3, 2], [path(1, 0, 3, 2)]],
  ['2i', [1, 2], [0, 3], [and(path(1, 0), path(2, 3))]],
  ['3i', [1, 2, 4], [0, 3, 1], [and(path(1, 0), path(2, 3), path(4, 1))]],
  ['ip', [1, 2], [0, 3, 1], [hop(and(path(1, 0), path(2, 3)), 1)]],
  ['2in', [1, 2], [0, 3], [and(path(1, 0), not(path(2, 3)))]],
  ['inp', [1, 2], [0, 3, 1], [hop(and(path(1, 0), not(path(2, 3))), 1)]],
  ['pin', [1, 2], [0, 3, 1], [and(path(1, 0, 3), not(path(2, 1)))]],
];

describe.each([
  {
    model: config,
    unions: [
      ['2u', [1, 2], [0, 3], [path(1, 0), path(2, 3)]],
      ['up', [1, 2], [0, 3, 1], [path(1, 0, 1), path(2, 3, 1)]],
    ],
  },
  {
    model: byDeMorgan,
    unions: [
      ['2u', [1, 2], [0, 3], [orByDeMorgan(path(1, 0), path(2, 3))]],
      ['up', [1, 2], [0, 3, 1], [hop(orByDeMorgan(path(1, 0), path(2, 3)), 1)]],
    ],
  },
] satisfies { model: ModelConfig; unions: [StructureName, number[], number[], Vector[]][] }[])(
  'the family $model.relationForm',
  ({ model, unions }) => {
    it.each([...positiveAndNegated, ...unions])(
      'has the distances of plain numbers: %s',
      (name, anchors, relations, alternatives) => {
        const expected = each(sizes.entities, (id) => distance(alternatives as Vector[], id));
        const { own, others } = plainDeviations(
          { config: model, parameters },
          { name, anchors, relations, expected },
        );
        expect(own).toBeLessThan(5e-7);
        expect(others).toBeGreaterThan(1e-3);
      },
    );
  },
);

describe('BetaE', () => {
  it('has a distance of 0 between an entity and itself, and more between others', () => {
    const free = input('free', 'float', [sizes.entities, 2 * m]);
    const vectors = betae.entity(config, free);
    const outputs = { all: betae.distances!(config, betae.anchor!(config, vectors, 2), vectors) };
    const program = createProgram({ name: 'own', inputs: [free], outputs });
    const { all } = evaluate(program, {
      free: numeric([sizes.entities, 2 * m], Float64Array.from(parameters.entities)),
    });
    all!.data.forEach((value, at) => {
      if (at % (sizes.entities + 1) === 0) expect(value).toBeLessThan(1e-7);
      else expect(value).toBeGreaterThan(1e-3);
    });
  });

  it('measures how far the query is from the entity, and not the entity from the query', () => {
    // Of Beta(2, 1), with the density 2x, from the uniform Beta(1, 1): ∫ 2x ln 2x = ln 2 − 1/2. The other way it is 1 − ln 2.
    const one: ModelConfig = { ...config, entities: 1, dimension: 8 };
    const [query, free] = [input('query', 'float', [1, 8]), input('free', 'float', [1, 2])];
    const outputs = { far: betae.distances!(one, query, betae.entity(one, free)) };
    const program = createProgram({ name: 'far', inputs: [query, free], outputs });
    const far = (queried: Vector, others: Vector): number =>
      evaluate(program, {
        query: numeric([1, 8], [...queried, ...each(6, () => 1e6)]),
        free: numeric([1, 2], others),
      })['far']!.data[0]!;
    expect(far([1, 1], [1, 0])).toBeCloseTo(Math.LN2 - 0.5, 8);
    expect(far([2, 1], [0, 0])).toBeCloseTo(1 - Math.LN2, 8);
  });

  it('refuses a dimension that its parts do not divide', () => {
    expect(() => betae.parameters({ ...config, dimension: 12 })).toThrow('a multiple of 8 for betae');
    expect(() => betaeDm.parameters({ ...byDeMorgan, dimension: 10 })).toThrow('a multiple of 4 for betaeDm');
  });
});
