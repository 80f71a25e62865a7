import { type EntityId, finish, type Steps, type Vocabulary } from '@fuzzqe/core';
import { type Query, queryWarnings } from '@fuzzqe/core/query';
import type { Explanation } from '@fuzzqe/core/sets';
import type { EmbeddingAnswer, EmbeddingOptions, SetsAnswer, SetsOptions } from './answer.ts';
import { type Planning, summarisePlan } from './embedding/plan.ts';
import { nameExplanation } from './explain/name-explanation.ts';
import { inTurns } from './queue/in-turns.ts';
import type { CallLimits } from './ranker/call-limits.ts';
import type { EmbeddingResult, SetsResult } from './ranker/ranker.ts';
import { summariseSets } from './sets/sets-mode.ts';

/** How many answers, each with its operands, are named in a piece of work. */
const namedOfStep = 1024;

/** Gives names to the results of a call: at once where all together are few, as for most, else in turns of the event loop. */
export async function withNames<Result extends SetsResult | EmbeddingResult, Answer>(
  results: readonly Result[],
  { isExplained, ...limits }: CallLimits & { readonly isExplained: boolean },
  naming: (result: Result, place: number) => Steps<Answer>,
): Promise<Answer[]> {
  let size = 0;
  for (const result of results)
    size += result.ids.length * (1 + ('operands' in result ? result.operands.length : 0));
  const steps = namingEach(results, naming);
  return isExplained || size >= namedOfStep ? inTurns(steps, limits) : finish(steps);
}

function* namingEach<Result, Answer>(
  results: readonly Result[],
  naming: (result: Result, place: number) => Steps<Answer>,
): Steps<Answer[]> {
  const answers: Answer[] = [];
  for (const [place, result] of results.entries()) {
    answers.push(yield* naming(result, place));
    yield;
  }
  return answers;
}

/** The answer that a result by fuzzy sets is, with names. */
export function* nameSetsAnswer(
  vocabulary: Vocabulary,
  query: Query,
  options: SetsOptions & { readonly k: number },
  { ids, degrees, known, operands, probabilities }: SetsResult,
  explanation?: Explanation,
): Steps<SetsAnswer> {
  const explained = explanation && (yield* nameExplanation(vocabulary, explanation));
  const answersOfStep = Math.ceil(namedOfStep / (1 + operands.length));
  const answers: SetsAnswer['answers'][number][] = [];
  for (let place = 0; place < ids.length; place += 1) {
    if ((place + 1) % answersOfStep === 0) yield;
    answers.push({
      ...nameOf(vocabulary, ids[place]!, known[place]!),
      degree: degrees[place]!,
      ...probabilityField(probabilities?.[place]),
      ...(operands.length === 0
        ? {}
        : {
            operands: operands.map((operand) => ({
              degree: operand.degrees[place]!,
              known: operand.known[place] === 1,
            })),
          }),
      ...explained?.answers[place],
    });
  }
  return {
    mode: 'sets',
    answers,
    warnings: [...queryWarnings(query), ...fewWarnings(answers.length, options)],
    plan: summariseSets(query),
    ...(explained === undefined ? {} : { parts: explained.parts }),
  };
}

/** The answer that a result by the embedding is, with names. */
export function* nameEmbeddingAnswer(
  vocabulary: Vocabulary,
  query: Query,
  planning: Planning,
  { filter, exclude, k }: Pick<EmbeddingOptions, 'filter' | 'exclude'> & { readonly k: number },
  { ids, scores, known }: EmbeddingResult,
): Steps<EmbeddingAnswer> {
  const answers: EmbeddingAnswer['answers'][number][] = [];
  // Each field by itself: to spread an object takes longer than all else, and there may be a thousand.
  for (let place = 0; place < ids.length; place += 1) {
    if ((place + 1) % namedOfStep === 0) yield;
    const id = ids[place] as EntityId; // as in `nameOf`
    const { key, label } = vocabulary.entity(id);
    answers.push({ id, key, label, known: known[place] === 1, score: scores[place]! });
  }
  return {
    mode: 'embedding',
    answers,
    warnings: [
      ...queryWarnings(query),
      ...(ids.length === 0 && filter !== undefined ? [nothingLeft] : fewUnrecorded(ids.length, k, exclude)),
    ],
    plan: summarisePlan(query, planning),
  };
}

function nameOf(vocabulary: Vocabulary, id: number, known: number) {
  // Rankings are checked to hold entities of this bundle.
  const entity = id as EntityId;
  const { key, label } = vocabulary.entity(entity);
  return { id: entity, key, label, known: known === 1 };
}

/** Where nothing is said of an answer, its field is left out. */
function probabilityField(probability = Number.NaN): { readonly probability?: number } {
  return Number.isNaN(probability) ? {} : { probability };
}

const nothingLeft = 'few-answers: no answers, nothing that the filter leaves answers the query';

/** Says where everything else is recorded, and left out for that. */
function fewUnrecorded(count: number, k: number, exclude: EmbeddingOptions['exclude']): readonly string[] {
  if (exclude !== 'known' || count >= k) return [];
  return [`few-answers: ${count} of ${k} answers, all others are recorded`];
}

/** Says where degrees end before the answers that were asked for. */
function fewWarnings(
  count: number,
  { k, exclude, minDegree, filter }: SetsOptions & { readonly k: number },
): readonly string[] {
  if (count === k || (minDegree !== undefined && count > 0)) return [];
  if (count === 0 && filter !== undefined) return [nothingLeft];
  const among = filter === undefined ? 'nothing else' : 'nothing else that the filter leaves';
  const others =
    exclude === 'known' ? `${among}${filter === undefined ? '' : ' and'} that is not recorded` : among;
  const least = minDegree === undefined || minDegree === 0 ? 'above 0' : `of ${minDegree} or more`;
  return [`few-answers: ${count} of ${k} answers, ${others} has a degree ${least}`];
}
