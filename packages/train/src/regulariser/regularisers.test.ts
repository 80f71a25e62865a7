import { constant, createProgram, evaluate, input, numeric, type Tensor } from '@fuzzqe/core/tensor';
import { type ModelConfig, plainModel } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import {
  type RegulariserName,
  type RegularisersConfig,
  regularised,
  regulariserNames,
} from './regularisers.ts';

const entities = [
  [0.8, 0.6, 0.1],
  [0.2, 0.3, 0.9],
];
const shares = [0.75, 0.25];

function computed(config: RegularisersConfig, rows = entities): number {
  const [p, share, loss] = [
    input('p', 'float', [2, 3]),
    input('share', 'float', [2, 1]),
    input('loss', 'float', [1, 1]),
  ];
  const model = { ...plainModel, entities: 2, relations: 2, dimension: 3 };
  const scale = constant([1], [1]);
  const total = regularised(model, config, loss, {
    entities: [{ rows: p, shares: share }],
    perQuery: 2,
    scale,
  });
  const inputs = total === loss ? [loss] : [p, share, loss];
  const program = createProgram({ name: 'total', description: 'A loss.', inputs, outputs: { total } });
  const values = {
    p: numeric([2, 3], rows.flat()),
    share: numeric([2, 1], shares),
    loss: numeric([1, 1], [7]),
  };
  return evaluate(program, values)['total']!.data[0]!;
}

/** Σ_n share_n Σ_i |p_n(i) − p̄_n|^power, on plain numbers. */
function expected(power: number): number {
  let total = 0;
  entities.forEach((row, n) => {
    const mean = (row[0]! + row[1]! + row[2]!) / 3;
    for (const value of row) total += shares[n]! * Math.abs(value - mean) ** power;
  });
  return total;
}

const powers: Readonly<Record<RegulariserName, number>> = { n3: 3, l2: 2 };

describe.each(regulariserNames)('the regulariser %s', (name) => {
  it('is its formula, by occurrence, times its weight', () => {
    expect(computed({ [name]: { weight: 4 } })).toBeCloseTo(7 + 4 * expected(powers[name]), 12);
    expect(computed({ [name]: { weight: 4 } })).not.toBeCloseTo(7 + 2 * expected(powers[name]), 3);
  });

  it('costs nothing for an entity that belongs to everything alike', () => {
    const alike = [new Array<number>(3).fill(0.58), new Array<number>(3).fill(0.3)];
    expect(computed({ [name]: { weight: 4 } }, alike)).toBeCloseTo(7, 12);
  });
});

describe('n3 where relations are blocks', () => {
  const model: ModelConfig = {
    ...plainModel,
    relationForm: 'blocks',
    entityNormalisation: 'l1',
    entities: 9,
    relations: 4,
    dimension: 4,
  };
  // Two queries: anchors, then answers, each a vector that sums to 1.
  const vectors = [
    [0.4, 0.1, 0.2, 0.3],
    [0.25, 0.25, 0.25, 0.25],
    [0.1, 0.6, 0.2, 0.1],
    [0.7, 0.1, 0.1, 0.1],
  ];
  const blocks = [
    [0.5, -1, 2, 0.25],
    [-0.3, 0.1, 0, 1],
  ];
  const temperature = 6;
  const modulus = ([a, b, c, d]: readonly number[]): number =>
    Math.hypot(a!, c!) ** 3 + Math.hypot(b!, d!) ** 3;
  const penalty = (weight: number, some = vectors, others = blocks): number => {
    const names: Readonly<Record<string, readonly number[][]>> = { vectors: some, blocks: others };
    const fed = (name: string): Tensor => input(name, 'float', [names[name]!.length, 4]);
    const inputs = [fed('vectors'), fed('blocks')];
    const total = regularised(model, { n3: { weight } }, constant([0], [1, 1]), {
      entities: [{ rows: inputs[0]!, shares: constant([0.25, 0.25, 0.25, 0.25], [4, 1]) }],
      blocks: { rows: inputs[1]!, shares: constant([0.5, 0.5], [2, 1]) },
      ...{ perQuery: 2, scale: constant([temperature], [1]) },
    });
    const program = createProgram({ name: 'penalty', description: 'N3.', inputs, outputs: { total } });
    const values = Object.fromEntries(
      Object.entries(names).map(([name, rows]) => [name, numeric([rows.length, 4], rows.flat())]),
    );
    return evaluate(program, values)['total']!.data[0]!;
  };

  it('is the mean over queries of the moduli of anchor, block and answer, times the temperature', () => {
    const beyond = vectors.map((row) => row.map((value) => 4 * value - 1));
    const sum = [...beyond, ...blocks].reduce((total, row) => total + modulus(row), 0);
    expect(penalty(0.03)).toBeCloseTo((0.03 * temperature * sum) / 2, 9);
  });

  it('counts pairs of elements, and each of the three', () => {
    const swapped = vectors.map(([a, b, c, d]) => [b!, a!, c!, d!]);
    expect(penalty(1, swapped)).not.toBeCloseTo(penalty(1), 3);
    const still = vectors.map(() => [0.25, 0.25, 0.25, 0.25]);
    const none = blocks.map(() => [0, 0, 0, 0]);
    expect(penalty(1, still)).toBeLessThan(penalty(1));
    expect(penalty(1, vectors, none)).toBeLessThan(penalty(1));
    expect(penalty(1, still, none)).toBeCloseTo(0, 9);
  });
});

it('adds regularisers up, and leaves a loss without any as it is', () => {
  const both = computed({ n3: { weight: 2 }, l2: { weight: 3 } });
  expect(both).toBeCloseTo(7 + 2 * expected(3) + 3 * expected(2), 12);
  expect(computed({})).toBe(7);
});
