import { FuzzError } from '@fuzzqe/core';
import type { Pattern, PatternPlan } from '@fuzzqe/core/query';
import { type AttributeValue, sortedByValue } from '@fuzzqe/names';
import type { PatternResult } from '../ranker/ranker.ts';
import { type GivenState, valuesOf } from './given-sets.ts';
import type { PatternOrder } from './pattern-answer.ts';

/** Some tuples in an order, each with the literal that says it. */
export interface SortedTuples {
  readonly result: PatternResult;
  readonly values: readonly (AttributeValue | undefined)[];
}

/**
 * Prepares the sorting of tuples by a property of an answer variable.
 *
 * @throws FuzzError `query`: a pattern without such an answer variable, an unknown property.
 */
export async function createTupleSort(
  order: PatternOrder,
  { variables, answers }: Pattern,
  { steps, answers: answerSteps }: PatternPlan,
  given: GivenState,
): Promise<(found: PatternResult, k: number) => SortedTuples> {
  const columns = answers.map((variable) => variables[variable]!);
  const column = order.variable === undefined ? 0 : columns.indexOf(order.variable.replace(/^\?/, ''));
  const step = answerSteps[column];
  if (step === undefined)
    throw new FuzzError(
      'query',
      `order: expected an answer variable, got ${order.variable ?? 'no variable'}`,
      {
        path: '$.order.variable',
        hint:
          columns.length === 0
            ? 'A question of yes or no has no order.'
            : `It is one of ${columns.join(', ')}.`,
      },
    );
  const state = await valuesOf(given);
  const sort = (ids: ArrayLike<number>) => sortedByValue(ids, order, state, '$.order.property');
  // An unknown property is refused before the search.
  sort([]);
  return (found, k) => {
    const { tuples, assignments, degrees, known } = found;
    const sorted = sort(Array.from(degrees, (_, row) => assignments[row * steps.length + step]!)).slice(0, k);
    const rowsOf = (values: Int32Array, width: number): Int32Array =>
      Int32Array.from(
        sorted.flatMap(({ place }) => [...values.subarray(place * width, (place + 1) * width)]),
      );
    return {
      values: sorted.map(({ value }) => value),
      result: {
        ...found,
        tuples: rowsOf(tuples, answers.length),
        assignments: rowsOf(assignments, steps.length),
        degrees: Float32Array.from(sorted, ({ place }) => degrees[place]!),
        known: Uint8Array.from(sorted, ({ place }) => known[place]!),
      },
    };
  };
}
