import { FuzzError } from '@fuzzqe/core';
import {
  add,
  constant,
  type Dim,
  div,
  maximum,
  mean,
  mul,
  neg,
  reshape,
  scalar,
  slice,
  sum,
  type Tensor,
} from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../config/config.ts';
import type { Family } from './family.ts';

/** How many columns are compared at once with entities that all queries share: a result has as many numbers for each pair. */
const columnsAtOnce = 8;

/** |x|, element by element. */
export const absolute = (x: Tensor): Tensor => maximum(x, neg(x));

/**
 * Sums terms of queries and entities over columns: `Σ_i t(q_i, e_i)` of each term t.
 *
 * Entities that all queries share are taken a few columns at a time, so that nothing has a number for each query, entity and column.
 * Shapes: each part of the query [n, m]; entities [k, m] or [n, k, m] → [n, k] each.
 */
export function sumsOfColumns(
  query: readonly Tensor[],
  entities: Tensor,
  terms: (query: readonly Tensor[], entities: Tensor) => readonly Tensor[],
): readonly Tensor[] {
  const [rows, width] = query[0]!.shape as [Dim, number];
  const each = (from: number, to: number): readonly Tensor[] =>
    query.map((part) => reshape(slice(part, from, to, 1), [rows, 1, to - from]));
  const sums = (found: readonly Tensor[], count: Dim): readonly Tensor[] =>
    found.map((term) => reshape(sum(term, [-1]), [rows, count]));
  if (entities.shape.length === 3) return sums(terms(each(0, width), entities), entities.shape[1]!);
  const count = entities.shape[0]!;
  const parts: (readonly Tensor[])[] = [];
  for (let from = 0; from < width; from += columnsAtOnce) {
    const to = Math.min(from + columnsAtOnce, width);
    const columns = reshape(slice(entities, from, to, 1), [1, count, to - from]);
    parts.push(sums(terms(each(from, to), columns), count));
  }
  return parts.reduce((totals, part) => totals.map((total, at) => add(total, part[at]!)));
}

/**
 * m: how long the vectors are of which a query has `parts`.
 *
 * @throws FuzzError `config`: d is no multiple of `parts`; the hint has the next multiple.
 */
export function lengthOfParts(
  { dimension, relationForm }: Pick<ModelConfig, 'dimension' | 'relationForm'>,
  parts: number,
): number {
  if (dimension % parts === 0) return dimension / parts;
  const write = { model: { dimension: parts * Math.ceil(dimension / parts) } };
  throw new FuzzError(
    'config',
    `dimension: expected a multiple of ${parts} for ${relationForm}, got ${dimension}`,
    { path: '$.model.dimension', hint: `Write ${JSON.stringify(write)}.` },
  );
}

/** What families by distances share. */
type OfDistances = Pick<
  Family,
  'distances' | 'scores' | 'compare' | 'trained' | 'hasDropout' | 'addsUp' | 'linkTemperature'
>;

/**
 * How a family by distances scores, from its δ(q, e).
 *
 * `(8) φ(q, e) = 1 / (1 + δ(q, e))`, in (0, 1] and in the order of small distances; a loss compares −δ(q, e) times its factor.
 *
 * Shapes: `distances` takes a query [n, d] and entities as `Family.scores` does → [n, m].
 */
export function byDistances(distances: NonNullable<Family['distances']>): OfDistances {
  return {
    distances,
    scores: (config, query, entities) => div(scalar(1), add(distances(config, query, entities), scalar(1))),
    compare(config, query, factorOf) {
      const factor = factorOf(constant([1], [1]));
      const all = (entities: Tensor): Tensor => mul(neg(distances(config, query, entities)), factor);
      return {
        all,
        pairs: (entities) => all(reshape(entities, [entities.shape[0]!, 1, entities.shape[1]!])),
        mean: (entities) => mean(all(entities), [-1]),
      };
    },
    trained: (config) => config,
    hasDropout: false,
    addsUp: false,
    linkTemperature: 1,
  };
}
