import { createRandom } from '@fuzzqe/core';
import { createProgram, evaluate, input, mul, numeric, scalar, sub } from '@fuzzqe/core/tensor';
import { familyOf, type ModelConfig, plainModel, scores } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { relationLoss } from './relation-loss.ts';

const [d, count, relations, scale] = [4, 2, 3, 5];
const model: ModelConfig = {
  ...plainModel,
  relationForm: 'blocks',
  entityNormalisation: 'l1',
  dimension: d,
  entities: 9,
  relations,
};
const random = createRandom('relation loss');
/** Rows that sum to 1, as p_e does. */
const entities = (rows: number): number[][] =>
  Array.from({ length: rows }, () => {
    const row = Array.from({ length: d }, () => 0.5 + random.uniform());
    const total = row.reduce((sum, x) => sum + x);
    return row.map((x) => x / total);
  });
/** So small that σ is as good as linear. */
const table = Array.from({ length: relations }, () =>
  Array.from({ length: d }, () => 1e-3 * random.normal()),
);
const heads = entities(count);
const tails = entities(2 * count);
const own = [2, 0];
const shares = [
  [0.25, 0.75],
  [1, 0],
];

/** The scores of a head and a tail by every relation, as the model computes them. */
function scoresOf(head: readonly number[], tail: readonly number[]): number[] {
  const [h, t, r] = [
    input('h', 'float', [relations, d]),
    input('t', 'float', [1, d]),
    input('r', 'float', [relations, d]),
  ];
  // 2 d (S − 1/2) is what queries are scaled to; p_t sums to 1, so the half is the same for all relations.
  const tails = familyOf(model).projectFrom(model, h, () => r, {});
  const z = mul(scores(model, sub(tails, scalar(0.5)), t), scalar(2 * d * scale));
  const program = createProgram({ name: 'scores', inputs: [h, t, r], outputs: { z } });
  const { z: found } = evaluate(program, {
    h: numeric(
      [relations, d],
      table.flatMap(() => head),
    ),
    t: numeric([1, d], tail),
    r: numeric([relations, d], table.flat()),
  });
  // The scores of a projection with p_t less those of its mean element with it.
  const means = table.map((_, relation) => meanOf(projected(head, relation)));
  return Array.from(found!.data, (value, relation) => value - 2 * d * scale * (means[relation]! - 0.5));
}

/** P_r(h), on plain numbers. */
function projected(head: readonly number[], relation: number): number[] {
  const u = head.map((x) => d * x - 1);
  const half = d / 2;
  const block = table[relation]!;
  const y = u.map((_, i) =>
    i < half
      ? u[i]! * block[i]! - u[i + half]! * block[i + half]!
      : u[i - half]! * block[i]! + u[i]! * block[i - half]!,
  );
  return y.map((x) => 1 / (1 + Math.exp(-x)));
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, x) => sum + x) / values.length;

const entropyOf = (z: readonly number[], relation: number): number =>
  Math.log(z.reduce((sum, x) => sum + Math.exp(x), 0)) - z[relation]!;

/** The loss with two tails of each head. */
function computed(relationOf: readonly number[]): number {
  const tensors = {
    heads: input('heads', 'float', [count, d]),
    tails: input('tails', 'float', [2 * count, d]),
    blocks: input('blocks', 'float', [count, d]),
    relations: input('relations', 'float', [relations, d]),
    shares: input('shares', 'float', [count, 2]),
    scale: input('scale', 'float', [1]),
  };
  const program = createProgram({
    name: 'relation loss',
    inputs: Object.values(tensors),
    outputs: { loss: relationLoss(model, tensors) },
  });
  const { loss } = evaluate(program, {
    heads: numeric([count, d], heads.flat()),
    tails: numeric([2 * count, d], tails.flat()),
    blocks: numeric(
      [count, d],
      relationOf.flatMap((relation) => table[relation]!),
    ),
    relations: numeric([relations, d], table.flat()),
    shares: numeric([count, 2], shares.flat()),
    scale: numeric([1], [scale]),
  });
  return loss!.data[0]!;
}

describe('what predicting relations adds to the loss', () => {
  it('is the cross-entropy of scores over relations, of each tail by its share', () => {
    let sum = 0;
    for (let link = 0; link < count; link += 1)
      for (let at = 0; at < 2; at += 1)
        sum +=
          (shares[link]![at]! * entropyOf(scoresOf(heads[link]!, tails[2 * link + at]!), own[link]!)) / count;
    expect(computed(own)).toBeCloseTo(sum, 7);
    // Relations that change places are told apart.
    expect(computed(own.toReversed())).not.toBeCloseTo(sum, 4);
  });
});
