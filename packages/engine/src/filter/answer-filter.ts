import { checkId, describeValue, EntitySet, FuzzError } from '@fuzzqe/core';
import { checkQuery, type Query, type QueryBounds } from '@fuzzqe/core/query';
import { checkForms, isWithin, type OptionForm } from '../options/option-forms.ts';
import type { CallLimits } from '../ranker/call-limits.ts';
import type { Ranker } from '../ranker/ranker.ts';

/**
 * Which entities may be answers: those given, or those that answer a second query.
 *
 * Without `minDegree` these are the recorded answers to it, in either mode: what the facts give by themselves is certain, and
 * runs no graph. With it they are all members of its fuzzy set of that degree or more, predicted ones too.
 */
export type AnswerFilter =
  | { readonly ids: readonly number[]; readonly query?: undefined }
  | { readonly query: Query; readonly minDegree?: number; readonly ids?: undefined };

const degree: OptionForm = ['a number in (0, 1]', (value) => value !== 0 && isWithin(value, 0, 1)];

/**
 * Refuses what is no filter.
 *
 * @throws FuzzError `usage`: not one of its forms. `range`: an id or a degree out of its range. `query`: as `checkQuery`.
 */
export function checkFilter(filter: AnswerFilter, bounds: QueryBounds): void {
  // Options may come out of JSON.
  const { ids, query, minDegree }: { ids?: unknown; query?: unknown; minDegree?: unknown } = { ...filter };
  const isOne = ids === undefined ? query !== undefined : query === undefined && minDegree === undefined;
  if (!isOne || (ids !== undefined && !Array.isArray(ids)))
    throw new FuzzError(
      'usage',
      `filter: expected {ids: […]} or {query, minDegree?}, got ${describeValue(filter)}`,
      {
        path: '$.filter',
        hint: 'Give the entities that may be answers, or a query.',
      },
    );
  const hint = 'Every entity has a degree of 0 or more; leave it out for recorded answers.';
  checkForms(filter, { minDegree: degree }, 'range', '$.filter', hint);
  const { entityCount } = bounds;
  if (filter.query !== undefined) checkQuery(filter.query, bounds, '$.filter.query');
  if (!Array.isArray(ids)) return;
  const wrong = ids.findIndex((id) => !(Number.isInteger(id) && id >= 0 && id < entityCount));
  if (wrong >= 0) checkId('entity', ids[wrong], entityCount, `$.filter.ids[${wrong}]`);
}

/** The entities that a checked filter leaves, ascending; undefined where there is none. What is to be computed, the ranker does. */
export async function allowedBy(
  filter: AnswerFilter | undefined,
  { entityCount, ranker }: { readonly entityCount: number; readonly ranker: Pick<Ranker, 'rank'> },
  limits: CallLimits,
): Promise<Int32Array | undefined> {
  if (filter === undefined) return undefined;
  if (filter.ids !== undefined) return EntitySet.from(entityCount, filter.ids).toArray();
  const { query, minDegree } = filter;
  if (minDegree === undefined) {
    const [recorded] = await ranker.rank([{ task: 'recorded' as const, query }], limits);
    return recorded!.ids;
  }
  const [set] = await ranker.rank([{ task: 'degrees' as const, query }], limits);
  // Degrees are of single precision: a limit of 0.7 is meant to keep what is as near to it as they can be.
  const least = Math.fround(minDegree);
  const members: number[] = [];
  set!.degrees.forEach((degree, id) => {
    if (degree >= least) members.push(id);
  });
  return Int32Array.from(members);
}
