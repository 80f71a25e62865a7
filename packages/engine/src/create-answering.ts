import { modesOf, profileOf } from '@fuzzqe/bundle';
import { describeValue, FuzzError, finish } from '@fuzzqe/core';
import { checkQuery, type Query, templateOf } from '@fuzzqe/core/query';
import { checkExplanation } from '@fuzzqe/core/sets';
import { instantOf } from '@fuzzqe/names';
import type { AnswerOptions, EmbeddingAnswer, EmbeddingOptions, SetsAnswer, SetsOptions } from './answer.ts';
import { checkK } from './check-options.ts';
import { checkTrained } from './embedding/check-trained.ts';
import { planIn } from './embedding/plan.ts';
import type { Engine } from './engine.ts';
import type { EngineBundle } from './engine-manifest.ts';
import type { ProvenanceOf } from './explain/fact-provenance.ts';
import { allowedBy } from './filter/answer-filter.ts';
import { nameEmbeddingAnswer, nameSetsAnswer, withNames } from './name-answers.ts';
import { newRelationWarnings } from './new-relations.ts';
import { createMatching, type Matching } from './patterns/create-matching.ts';
import type { LikenessOf } from './patterns/model-likeness.ts';
import type { EmbeddingResult, Ranker, SetsResult } from './ranker/ranker.ts';
import { rankerAt } from './ranker/ranker-at.ts';
import { leastAnswer, leastSuggestion } from './sets/answer-state.ts';

/** Answers queries with names, by what a ranker gives. */
export interface Answering {
  /** @throws FuzzError `query`, `range`: the queries or the options. What the ranker throws. */
  answerBySets(queries: readonly Query[], options: SetsOptions): Promise<SetsAnswer[]>;
  /** @throws FuzzError as `answerBySets`. */
  answerByEmbedding(queries: readonly Query[], options: EmbeddingOptions): Promise<EmbeddingAnswer[]>;
  /** @throws FuzzError as `answerBySets`; `usage`: a bundle without facts. */
  match: Matching;
}

/** Answering from a bundle by whatever ranks for it. */
export function createAnswering(
  {
    manifest,
    profileName,
    vocabulary,
    facts,
    attributes,
    provenanceOf,
    trainedRelations,
    likenessOf,
  }: Pick<EngineBundle, 'manifest' | 'profileName' | 'vocabulary' | 'facts' | 'attributes'> &
    Pick<Engine, 'trainedRelations'> & {
      readonly provenanceOf: ProvenanceOf;
      readonly likenessOf: LikenessOf;
    },
  ranker: Pick<Ranker, 'rank' | 'plan'>,
): Answering {
  const { entityCount } = facts;
  const hasFacts = modesOf(manifest).includes('sets');
  const warningsOf = newRelationWarnings({ trained: trainedRelations, facts, vocabulary });
  /** What ranks by the facts that hold at a date. */
  const rankerOf = (at: string | undefined): Pick<Ranker, 'rank' | 'plan'> =>
    at === undefined ? ranker : rankerAt(ranker, { at: instantOf(at) });
  const undated = (at: string | undefined): readonly string[] =>
    at !== undefined && facts.validity === undefined ? [noValidity] : [];
  const checkAll = (queries: readonly Query[]): void => checkQueries(queries, facts);
  /** The part of requests that all queries of a call share, and how many answers were asked for. */
  const select = async (options: AnswerOptions, asked = ranker) => {
    const { exclude, filter } = options;
    const k = checkK(options.k, entityCount);
    const allowed = await allowedBy(filter, { entityCount, ranker: asked }, options);
    return { wanted: k, request: { k: Math.min(k, allowed?.length ?? k), exclude, allowed } };
  };

  const answerBySets = async (queries: readonly Query[], options: SetsOptions): Promise<SetsAnswer[]> => {
    const { minDegree: answersFrom = leastAnswer, suggestions = true, explain, at } = options;
    checkAll(queries);
    if (explain === true)
      for (const query of queries) checkExplanation(query, checkK(options.k, entityCount));
    const asked = rankerOf(at);
    const { request } = await select(options, asked);
    const namedFor = (query: Query) => ({
      ...{ ...options, minDegree: answersFrom, suggestions },
      warnings: [...undated(at), ...warningsOf(() => templateOf(query).relations)],
    });
    const minDegree = suggestions ? Math.min(answersFrom, leastSuggestion) : answersFrom;
    if (request.k === 0)
      return queries.map((query) => finish(nameSetsAnswer(vocabulary, query, namedFor(query), noSet)));
    const results = await asked.rank(
      queries.map((query) => ({ task: 'sets' as const, query, ...request, minDegree, answersFrom })),
      options,
    );
    const explanations =
      explain === true
        ? await asked.rank(
            queries.map((query, i) => ({
              task: 'explain' as const,
              query,
              answers: results[i]!.ids,
              members: membersOfParts,
            })),
            options,
          )
        : [];
    return withNames(results, { ...options, isExplained: explain === true }, (result, i) =>
      nameSetsAnswer(
        vocabulary,
        queries[i]!,
        namedFor(queries[i]!),
        result,
        explanations[i] && { ...explanations[i], provenanceOf },
      ),
    );
  };

  const answerByEmbedding = async (
    queries: readonly Query[],
    options: EmbeddingOptions,
  ): Promise<EmbeddingAnswer[]> => {
    const planning = planIn(profileOf(manifest, profileName), options.plan ?? ranker.plan);
    checkAll(queries);
    checkTrained(queries, manifest.model);
    const { wanted, request } = await select(options);
    const results =
      request.k === 0
        ? queries.map(() => noRanking)
        : await ranker.rank(
            queries.map((query) => ({
              task: 'embedding' as const,
              query,
              ...request,
              plan: planning.choice,
            })),
            options,
          );
    const answers = await withNames(results, { ...options, isExplained: false }, (result, i) =>
      nameEmbeddingAnswer(vocabulary, queries[i]!, planning, { ...options, k: wanted }, result),
    );
    if (hasFacts) return answers;
    return answers.map((answer) => ({
      ...answer,
      // From no facts everything would follow that is a negation.
      answers: answer.answers.map((each) => ({ ...each, known: false })),
      warnings: [...answer.warnings, embeddingOnly],
    }));
  };

  const match: Matching = async (pattern, options) => {
    if (!hasFacts)
      throw new FuzzError('usage', 'pattern: expected a bundle with facts, got a bundle without facts', {
        hint: 'Ask a bundle that was exported for servers.',
      });
    const { at } = options;
    const state = { vocabulary, facts, attributes, provenanceOf, warningsOf, likenessOf };
    const answer = await createMatching({ ...state, ranker: rankerOf(at) })(pattern, options);
    return { ...answer, warnings: [...undated(at), ...answer.warnings] };
  };
  return { answerBySets, answerByEmbedding, match };
}

/**
 * Checks each of these queries.
 *
 * @throws FuzzError `query` or `range`: one of them is none for these facts.
 */
export function checkQueries(queries: readonly Query[], facts: EngineBundle['facts']): void {
  if (!Array.isArray(queries))
    throw new FuzzError('query', `queries: expected an array of queries, got ${describeValue(queries)}`, {
      path: '$',
      hint: 'Put one in brackets.',
    });
  for (const query of queries) checkQuery(query, facts);
}

/** How many members of each part an explanation lists. */
const membersOfParts = 5;

const none = { ids: new Int32Array(), known: new Uint8Array() };
const noSet: SetsResult = {
  ...none,
  task: 'sets',
  degrees: new Float32Array(),
  operands: [],
};
const noRanking: EmbeddingResult = {
  ...none,
  task: 'embedding',
  scores: new Float32Array(),
  embedding: undefined,
};

/** What anyone should know who asks for a date that makes no difference. */
const noValidity =
  'no-validity: no fact says when it holds, so that the answer is that of all facts, whatever the date';

/** What anyone who reads answers of a bundle without facts should know. */
export const embeddingOnly =
  'embedding-only: the bundle was made without its facts, so that it fits where it runs: answers are by the embedding, and none is marked as known';
