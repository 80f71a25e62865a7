import { type EntityId, finish, type Steps, type Vocabulary } from '@fuzzqe/core';
import { type Query, queryWarnings } from '@fuzzqe/core/query';
import type {
  EmbeddingAnswer,
  EmbeddingOptions,
  OperandDegree,
  SetsAnswer,
  SetsAnswerEntity,
  SetsOptions,
} from './answer.ts';
import { type Planning, summarisePlan } from './embedding/plan.ts';
import { nameExplanation, type TracedExplanation } from './explain/name-explanation.ts';
import { inTurns } from './queue/in-turns.ts';
import type { CallLimits } from './ranker/call-limits.ts';
import type { EmbeddingResult, SetsResult } from './ranker/ranker.ts';
import { answerStatesOf, leastSuggestion } from './sets/answer-state.ts';
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

/** What an answer by fuzzy sets depends on in addition to its result. */
export type NamingOptions = SetsOptions &
  Required<Pick<SetsOptions, 'minDegree' | 'suggestions'>> & {
    /** What the graph of now says of the query. */
    readonly warnings: readonly string[];
  };

/** The answer that a result by fuzzy sets is, with names. */
export function* nameSetsAnswer(
  vocabulary: Vocabulary,
  query: Query,
  options: NamingOptions,
  { ids, degrees, known, operands }: SetsResult,
  explanation?: TracedExplanation,
): Steps<SetsAnswer> {
  const explained = explanation && (yield* nameExplanation(vocabulary, explanation));
  const answersOfStep = Math.ceil(namedOfStep / (1 + operands.length));
  const from = Math.fround(options.minDegree);
  const stateAt = answerStatesOf(query, operands);
  const answers: SetsAnswerEntity[] = [];
  const suggestions: SetsAnswerEntity[] = [];
  for (let place = 0; place < ids.length; place += 1) {
    if ((place + 1) % answersOfStep === 0) yield;
    const id = ids[place] as EntityId; // rankings are checked to hold entities of this bundle
    const { key, label } = vocabulary.entity(id);
    const degree = degrees[place]!;
    const isKnown = known[place] === 1;
    const state = stateAt(place, isKnown, degree);
    // Literals: to spread an object takes longer than all else.
    const each =
      operands.length === 0
        ? { id, key, label, state, degree }
        : { id, key, label, state, degree, operands: operandsAt(operands, place) };
    (isKnown || degree >= from ? answers : suggestions).push(
      explained === undefined ? each : { ...each, ...explained.answers[place]! },
    );
  }
  return {
    mode: 'sets',
    answers,
    suggestions,
    warnings: [
      ...options.warnings,
      ...queryWarnings(query),
      ...(ids.length === 0 ? [nothingFound(options)] : []),
    ],
    plan: summariseSets(query),
    ...(options.at === undefined ? {} : { at: options.at }),
    ...(explained === undefined ? {} : { parts: explained.parts }),
  };
}

function operandsAt(operands: SetsResult['operands'], place: number): OperandDegree[] {
  return operands.map(({ degrees, known }) => ({ degree: degrees[place]!, known: known[place] === 1 }));
}

/** The answer that a result in mode `embedding` is, with names. */
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
    const id = ids[place] as EntityId; // as in `nameSetsAnswer`
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

const nothingLeft = 'few-answers: no answers: nothing that the filter leaves answers the query';

/** Says where everything else is recorded, and left out for that. */
function fewUnrecorded(count: number, k: number, exclude: EmbeddingOptions['exclude']): readonly string[] {
  if (exclude !== 'known' || count >= k) return [];
  return [`few-answers: ${count} of ${k} answers, all others are recorded`];
}

/** Says why there is neither an answer nor a suggestion. */
function nothingFound({
  exclude,
  minDegree,
  suggestions,
  filter,
}: SetsOptions & Required<Pick<SetsOptions, 'minDegree' | 'suggestions'>>): string {
  if (filter !== undefined) return nothingLeft;
  const least = suggestions ? Math.min(minDegree, leastSuggestion) : minDegree;
  const others = `has a degree ${least === 0 ? 'above 0' : `of ${least} or more`}`;
  return exclude === 'known'
    ? `few-answers: no answers beyond the recorded ones: no other entity ${others}`
    : `few-answers: no answers: nothing is recorded, and no entity ${others}`;
}
