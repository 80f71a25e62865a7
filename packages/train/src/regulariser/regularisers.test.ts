import { createProgram, evaluate, input, numeric } from '@fuzzqe/core/tensor';
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
  const total = regularised(config, loss, { entities: p, shares: share });
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

it('adds regularisers up, and leaves a loss without any as it is', () => {
  const both = computed({ n3: { weight: 2 }, l2: { weight: 3 } });
  expect(both).toBeCloseTo(7 + 2 * expected(3) + 3 * expected(2), 12);
  expect(computed({})).toBe(7);
});
