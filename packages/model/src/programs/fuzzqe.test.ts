import { createRandom, schema } from '@fuzzqe/core';
import { logicNames, logics } from '@fuzzqe/core/logic';
import { createProgram, evaluate, input, numeric } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import {
  type ModelConfig,
  modelConfigSchema,
  plainModel,
  type ScoreName,
  scoreNames,
} from '../config/config.ts';
import { runModelSchema } from '../config/run-config.ts';
import { scores } from '../families/fuzzqe/scores.ts';
import { centroid } from './centroid.ts';

const { score: _, ...older }: ModelConfig = {
  entities: 40,
  relations: 2,
  ...plainModel,
  dimension: 6,
  bases: 1,
  entityNormalisation: 'l1',
  projectionInput: 'raw',
};
const d = older.dimension;
type Vectors = readonly (readonly number[])[];

/** φ of every query with every entity. */
function scoresOf(score: ScoreName, queries: Vectors, entities: Vectors): number[][] {
  const [q, e] = [input('q', 'float', ['n', d]), input('e', 'float', ['m', d])];
  const program = createProgram({
    name: 'scores',
    inputs: [q, e],
    outputs: { all: scores({ ...older, score }, q, e) },
  });
  const { all } = evaluate(program, {
    q: numeric([queries.length, d], queries.flat()),
    e: numeric([entities.length, d], entities.flat()),
  });
  const [rows, width] = [queries.length, entities.length];
  return Array.from({ length: rows }, (_, i) => [...all!.data.slice(i * width, (i + 1) * width)]);
}

const random = createRandom('scores');
const vectors = (count: number): Vectors =>
  Array.from({ length: count }, () => Array.from({ length: d }, () => random.uniform()));
/** L1-normalised with a few large elements: their lengths differ. */
const entities = vectors(older.entities).map((x, i) => {
  const peaked = x.map((value, j) => (j === i % d ? 1 + i : value));
  const sum = peaked.reduce((total, value) => total + value, 0);
  return peaked.map((value) => value / sum);
});
const queries = vectors(20);
const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const order = (row: readonly number[]): number[] => row.map((_, e) => e).sort((a, b) => row[b]! - row[a]!);

describe('the score', () => {
  it('is the inner product of query and entity, or ranks as the cosine does', () => {
    const product = scoresOf('innerProduct', queries, entities);
    const cosine = scoresOf('cosine', queries, entities);
    let otherwise = 0;
    for (const [i, q] of queries.entries()) {
      const cosines = entities.map((e) => dot(q, e) / Math.hypot(...q) / Math.hypot(...e));
      expect(order(cosine[i]!)).toEqual(order(cosines));
      entities.forEach((e, at) => {
        expect(product[i]![at]).toBeCloseTo(dot(q, e), 12);
        expect(cosine[i]![at]! / Math.hypot(...q)).toBeCloseTo(cosines[at]!, 8);
      });
      if (order(product[i]!).join() !== order(cosines).join()) otherwise += 1;
    }
    // With L1 entities the two are different rankings, or this test would show nothing.
    expect(otherwise).toBe(queries.length);
  });

  it.each(scoreNames)('of an entity without direction is 0: %s', (score) => {
    expect(scoresOf(score, [queries[0]!], [new Array<number>(d).fill(0)])).toEqual([[0]]);
  });

  it.each(logicNames.flatMap((logic) => scoreNames.map((score) => [logic, score] as const)))(
    'keeps conjunction elimination and disjunction amplification in %s logic: %s',
    (logic, score) => {
      const [a, b] = [input('a', 'float', ['n', d]), input('b', 'float', ['n', d])];
      const program = createProgram({
        name: 'operators',
        inputs: [a, b],
        outputs: { and: logics[logic].conjunction(a, b), or: logics[logic].disjunction(a, b) },
      });
      const others = queries.toReversed();
      const joined = evaluate(program, {
        a: numeric([queries.length, d], queries.flat()),
        b: numeric([others.length, d], others.flat()),
      });
      const rows = (name: 'and' | 'or'): Vectors =>
        queries.map((_, i) => [...joined[name]!.data.slice(i * d, (i + 1) * d)]);
      /** How many scores rise by ∧ or fall by ∨. */
      const broken = (scale: (query: readonly number[]) => number): number => {
        const of = (some: Vectors): number[][] =>
          scoresOf(score, some, entities).map((row, i) => row.map((value) => value * scale(some[i]!)));
        const [alone, and, or] = [of(queries), of(rows('and')), of(rows('or'))];
        return alone
          .flatMap((row, i) =>
            row.map((value, e) => and[i]![e]! > value + 1e-12 || or[i]![e]! < value - 1e-12),
          )
          .filter(Boolean).length;
      };
      expect(broken(() => 1)).toBe(0);
      // Divided by the length of the query as well, which is why they are not.
      expect(broken((query) => 1 / (Math.hypot(...query) + 1e-12))).toBeGreaterThan(0);
    },
  );
});

describe('a centroid', () => {
  const random = createRandom('centroid');
  const config: ModelConfig = { ...older, score: 'innerProduct', relationForm: 'blocks', entities: 80 };
  const heads = Array.from({ length: 30 }, () => {
    const row = Array.from({ length: d }, () => 0.2 + random.uniform());
    const total = row.reduce((sum, value) => sum + value, 0);
    return row.map((value) => value / total);
  });
  /** C of a vector among heads, with as many tails. */
  const centroidOf = (
    vector: readonly number[],
    among: Vectors = heads,
    tails = among.map(() => 1),
  ): number[] => {
    const m = among.length;
    const [x, p, n] = [
      input('x', 'float', [1, d]),
      input('p', 'float', [1, m, d]),
      input('n', 'float', [1, m]),
    ];
    const outputs = { c: centroid(config, x, p, n) };
    const { c } = evaluate(createProgram({ name: 'centroid', inputs: [x, p, n], outputs }), {
      x: numeric([1, d], vector),
      p: numeric([1, m, d], among.flat()),
      n: numeric([1, m], tails),
    });
    return [...c!.data];
  };
  const vector = Array.from({ length: d }, () => random.uniform());
  const scoreOf = (row: readonly number[]): number =>
    row.reduce((sum, value, i) => sum + value * vector[i]!, 0);
  const best = [...heads].sort((a, b) => scoreOf(b) - scoreOf(a));
  const farthest = (a: readonly number[], b: readonly number[]): number =>
    Math.max(...a.map((value, i) => Math.abs(value - b[i]!)));

  it('lies among the heads: in [0,1]^d, and sums to 1', () => {
    const found = centroidOf(vector);
    expect(Math.min(...found)).toBeGreaterThan(0);
    expect(found.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
  });

  it('does not change with the scale of scores, nor with what they all have', () => {
    const moved = vector.map((value) => 0.3 * value + 0.2);
    // But for the 1 / 32d that stands beside the range of scores.
    expect(farthest(centroidOf(vector), centroidOf(moved))).toBeLessThan(1e-5);
    // Another vector has another.
    expect(farthest(centroidOf(vector), centroidOf([...vector].reverse()))).toBeGreaterThan(1e-3);
  });

  it('hardly knows the head that is ranked last, and nothing of one without tails', () => {
    const whole = centroidOf(vector, best);
    const last = best.length - 1;
    expect(
      farthest(
        centroidOf(
          vector,
          best,
          best.map((_, i) => (i === last ? 0 : 1)),
        ),
        whole,
      ),
    ).toBeLessThan(1e-8);
    const repeated = [...best, best[0]!, best[0]!];
    const counts = repeated.map((_, i) => (i <= last ? 1 : 0));
    expect(farthest(centroidOf(vector, repeated, counts), whole)).toBeLessThan(1e-12);
    expect(farthest(centroidOf(vector, best.slice(1)), whole)).toBeGreaterThan(1e-3);
  });

  it('lies nearer to a head of more tails', () => {
    const distance = (tails: number): number =>
      farthest(
        centroidOf(
          vector,
          best,
          best.map((_, i) => (i === 1 ? tails : 1)),
        ),
        best[1]!,
      );
    expect(distance(50)).toBeLessThan(0.5 * distance(1));
  });

  it('is the mean of all where none is better than another', () => {
    const few = heads.slice(0, 9);
    const mean = Array.from({ length: d }, (_, i) => few.reduce((sum, row) => sum + row[i]! / 9, 0));
    expect(farthest(centroidOf(new Array<number>(d).fill(0.5), few), mean)).toBeLessThan(1e-9);
    // Nor do scores order heads that are apart by little more than rounding in float32 makes of them.
    const nearly = vector.map((value) => 0.5 + 1e-5 * value);
    expect(farthest(centroidOf(nearly, few), mean)).toBeLessThan(1e-9);
    expect(farthest(centroidOf(vector, few), mean)).toBeGreaterThan(1e-3);
  });
});

describe('a model configuration', () => {
  it('of a run that is older than the choice of a score has the inner product, of a bundle none', () => {
    const read = (value: unknown) => schema.parse(runModelSchema, value, { code: 'config', what: 'model' });
    expect(read(older)).toEqual({ ...older, score: 'innerProduct' });
    expect(read({ ...older, score: 'cosine' }).score).toBe('cosine');
    expect(schema.issuesOf(modelConfigSchema, older)).toEqual([
      { path: '$.score', message: expect.stringContaining('expected one of "innerProduct", "cosine"') },
    ]);
  });

  it.each([modelConfigSchema, runModelSchema])(
    'with a score that does not exist is refused by name',
    (each) => {
      expect(schema.issuesOf(each, { ...older, score: 'dot' })).toEqual([
        { path: '$.score', message: 'expected one of "innerProduct", "cosine", got "dot"' },
      ]);
    },
  );
});
