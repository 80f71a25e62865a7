import { EntitySet, type KnowledgeGraph, rejectedTails } from '@fuzzqe/core';
import { type Answerer, type FilledTemplate, nodesOf, type Query, templateOf } from '@fuzzqe/core/query';
import { degreesAt, type WantedAnswers } from '@fuzzqe/core/sets';
import { embedPlans } from '../embedding/embed-plans.ts';
import { type Plan, type PlanChoice, planIn, planQuery } from '../embedding/plan.ts';
import { type RankingContext, rankEmbeddings } from '../embedding/rank-embeddings.ts';
import { type ScoringContext, scoreEntities } from '../embedding/score-entities.ts';
import type { FoldingContext } from '../folding/fold-in.ts';
import { chunksOf } from '../sessions/tensor-values.ts';
import type { Explainer } from '../sets/explainer.ts';
import type { PatternMode } from '../sets/pattern-mode.ts';
import type { SetsMode } from '../sets/sets-mode.ts';
import { topDegrees } from '../sets/top-degrees.ts';
import { type CallLimits, throwIfOver } from './call-limits.ts';
import { expectGrowth } from './expect-growth.ts';
import { noModel } from './no-model.ts';
import type {
  DegreesRequest,
  DegreesResult,
  EmbeddingRequest,
  EmbeddingResult,
  EmbedRequest,
  EmbedResult,
  ExplainRequest,
  ExplainResult,
  FoldRequest,
  FoldResult,
  OfEpoch,
  PatternRequest,
  RankRequest,
  RankResult,
  RecordedRequest,
  RecordedResult,
  ResultOf,
  ScoreRequest,
  ScoreResult,
  SetsRequest,
  SetsResult,
} from './ranker.ts';
import type { RankerGrowth } from './ranker-growth.ts';

/** What requests of fuzzy sets are answered with. */
export interface SetsContext {
  readonly facts: KnowledgeGraph;
  /** The facts that declared axioms entail; undefined without such axioms. */
  readonly entailed: KnowledgeGraph | undefined;
  /** p_e of the entities that came after the model [n, d]; undefined without such entities. */
  readonly vectors: Float32Array | undefined;
  readonly answerer: Answerer;
  readonly sets: SetsMode;
  readonly patterns: PatternMode;
  readonly explain: Explainer;
  /** How many queries one run takes at most. */
  readonly batchSize: number;
}

/** What requests of embeddings are answered with. */
export interface ModelContext extends RankingContext {
  /** Which graphs embed unless a request says otherwise. */
  readonly plan: PlanChoice;
  readonly model: ScoringContext['model'] & FoldingContext['model'];
  /** τ of (9). */
  readonly temperature: number;
  readonly growth: RankerGrowth | undefined;
}

/** What requests of one epoch are answered with, in one thread. */
export interface RankContext extends SetsContext {
  /** Undefined if no model is there. */
  readonly model: ModelContext | undefined;
}

/** What requests are answered with that name an epoch or a moment. */
export type ContextAt = (which: OfEpoch) => RankContext;

/** Answers requests of any kinds, with one run for what they have alike, in their order. */
export async function runRequests<Request extends RankRequest>(
  contextAt: ContextAt,
  batch: readonly Request[],
  limits: CallLimits,
): Promise<ResultOf<Request>[]> {
  const results: RankResult[] = new Array(batch.length);
  const groups = new Map<string, number[]>();
  batch.forEach((request, place) => {
    // How far a graph looks may depend on k, so that runs with another k could give another order.
    const key = `${request.task} ${request.task === 'embedding' ? request.k : ''} ${request.epoch} ${request.at}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [place]);
    else group.push(place);
  });
  for (const places of groups.values()) {
    const requests = places.map((place) => batch[place]!);
    const found = await runGroup(contextAt(requests[0]!), requests, limits);
    places.forEach((place, i) => {
      results[place] = found[i]!;
    });
  }
  // Each result stands where its request did.
  return results as ResultOf<Request>[];
}

/** Runs requests of one task. */
function runGroup(
  context: RankContext,
  requests: readonly RankRequest[],
  limits: CallLimits,
): Promise<RankResult[]> {
  // `runRequests` has put requests of one task together.
  switch (requests[0]!.task) {
    case 'sets':
      return inChunks(requests as readonly SetsRequest[], context.batchSize, limits, (chunk) =>
        rankSets(context, chunk),
      );
    case 'degrees':
      return inChunks(requests as readonly DegreesRequest[], context.batchSize, limits, (chunk) =>
        wholeSets(context, chunk),
      );
    case 'embedding':
      return rankByEmbedding(context, requests as readonly EmbeddingRequest[], limits);
    case 'embed':
      return embed(context, requests as readonly EmbedRequest[], limits);
    case 'explain':
      return inChunks(requests as readonly ExplainRequest[], 1, limits, ([request]) =>
        explain(context, request!),
      );
    case 'pattern':
      return inChunks(requests as readonly PatternRequest[], 1, limits, async ([request]) => [
        { task: 'pattern', ...(await context.patterns(request!, () => throwIfOver(limits))) },
      ]);
    case 'recorded':
      return inChunks(requests as readonly RecordedRequest[], 1, limits, async ([request]) => [
        recorded(context, request!),
      ]);
    case 'score':
      return inChunks(requests as readonly ScoreRequest[], 1, limits, async ([request]) => [
        await score(context, request!),
      ]);
    case 'fold':
      return inChunks(requests as readonly FoldRequest[], 1, limits, async ([request]) => [
        await fold(context, request!),
      ]);
  }
}

async function inChunks<Request, Result>(
  requests: readonly Request[],
  size: number,
  limits: CallLimits,
  work: (chunk: readonly Request[]) => Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const chunk of chunksOf(requests, size)) {
    throwIfOver(limits);
    results.push(...(await work(chunk)));
  }
  return results;
}

async function rankSets(context: RankContext, requests: readonly SetsRequest[]): Promise<SetsResult[]> {
  const known = requests.map(({ query }) => knownOf(context, query));
  const wanted = requests.map((request, i): WantedAnswers => {
    const recorded = known[i]!.all;
    return {
      ...request,
      count: request.k,
      recorded,
      excluded: excludedOf(request, recorded.universe, () => recorded),
    };
  });
  const queries = requests.map(({ query }) => query);
  return context.sets(queries, wanted, ({ degrees: set, operands }, i): SetsResult => {
    const { k, minDegree, answersFrom } = requests[i]!;
    const { all, operands: ofOperands } = known[i]!;
    const answers = answersFrom === undefined ? undefined : { from: answersFrom, recorded: all };
    const { ids, degrees } = topDegrees(set, { k, minDegree, answers, excluded: wanted[i]!.excluded });
    return {
      task: 'sets',
      ids,
      degrees,
      known: marksOf(ids, all),
      operands: operands.map((operand, at) => ({
        degrees: degreesAt(operand, ids),
        known: marksOf(ids, ofOperands[at]!),
      })),
    };
  });
}

async function wholeSets(
  { sets }: RankContext,
  requests: readonly DegreesRequest[],
): Promise<DegreesResult[]> {
  const queries = requests.map(({ query }) => query);
  // Sets may be shared among queries; these are the caller's own.
  return sets(queries, undefined, ({ degrees }) => ({ task: 'degrees', degrees: degrees.slice() }));
}

/** Embeds all together and ranks with one k. */
async function rankByEmbedding(
  context: RankContext,
  requests: readonly EmbeddingRequest[],
  limits: CallLimits,
): Promise<EmbeddingResult[]> {
  const model = modelOf(context);
  const { plans, embeddings } = await embedAll(model, requests, limits);
  const rows = requests.map((request, i) => ({
    embedding: embeddings[i]!,
    excluded: withRejected(
      context.facts,
      request.query,
      excludedOf(request, context.facts.entityCount, () => answersIn(context, plans[i]!).clone()),
    ),
  }));
  const rankings = await inChunks(rows, context.batchSize, limits, (chunk) =>
    rankEmbeddings(model, chunk, requests[0]!.k),
  );
  return rankings.map(
    ({ ids, scores }, i): EmbeddingResult => ({
      task: 'embedding',
      ids,
      scores,
      known: marksOf(ids, answersIn(context, plans[i]!)),
      embedding: requests[i]!.withEmbedding === true ? embeddings[i]!.slice() : undefined,
    }),
  );
}

/** What the facts alone give to a query, until the next call. */
function answersIn(
  { answerer }: Pick<RankContext, 'answerer'>,
  { template, anchors, relations }: FilledTemplate,
): EntitySet {
  return answerer.answer(template, anchors, relations);
}

async function embed(
  context: RankContext,
  requests: readonly EmbedRequest[],
  limits: CallLimits,
): Promise<EmbedResult[]> {
  const { embeddings } = await embedAll(modelOf(context), requests, limits);
  return embeddings.map((embedding) => ({ task: 'embed', embedding: embedding.slice() }));
}

async function explain(
  context: RankContext,
  { query, answers, members }: ExplainRequest,
): Promise<ExplainResult[]> {
  return [{ task: 'explain', ...(await context.explain(query, { answers, members })) }];
}

function recorded(context: RankContext, { query }: RecordedRequest): RecordedResult {
  return { task: 'recorded', ids: answersIn(context, templateOf(query)).toArray() };
}

async function score(context: RankContext, { embedding, ids }: ScoreRequest): Promise<ScoreResult> {
  return { task: 'score', scores: await scoreEntities(modelOf(context), embedding, ids) };
}

async function fold(context: RankContext, { entities }: FoldRequest): Promise<FoldResult> {
  const model = modelOf(context);
  const { dimension } = model.model;
  const { foldIn } = expectGrowth(model.growth);
  const vectors = new Float32Array(entities.length * dimension);
  const folding = {
    facts: context.facts,
    model: model.model,
    context: model,
    temperature: model.temperature,
  };
  for (const [i, entity] of entities.entries()) vectors.set(await foldIn(folding, entity), i * dimension);
  return { task: 'fold', vectors };
}

/** @throws FuzzError `usage`: no model is there. */
function modelOf({ model }: RankContext): ModelContext {
  if (model === undefined) throw noModel();
  return model;
}

async function embedAll(
  context: ModelContext,
  requests: readonly (EmbeddingRequest | EmbedRequest)[],
  limits: CallLimits,
): Promise<{ readonly plans: readonly Plan[]; readonly embeddings: readonly Float32Array[] }> {
  throwIfOver(limits);
  const plans = requests.map(({ query, plan = context.plan }) => {
    const isNew = context.more !== undefined && namesNew(query, context.more.first);
    return planQuery(query, planIn(context.profile, isNew ? 'operators' : plan));
  });
  return { plans, embeddings: await embedPlans(context, plans) };
}

/** Whether an anchor came after the model. */
function namesNew(query: Query, first: number): boolean {
  return nodesOf(query).some((node) => node.op === 'entity' && node.entity >= first);
}

/** What the facts give to a query, and of a conjunction to each operand. */
function knownOf(
  { answerer }: RankContext,
  query: Query,
): { readonly all: EntitySet; readonly operands: readonly EntitySet[] } {
  const { template, anchors, relations } = templateOf(query);
  const exact = (node: typeof template): EntitySet => answerer.answer(node, anchors, relations).clone();
  return { all: exact(template), operands: template.op === 'and' ? template.operands.map(exact) : [] };
}

/** What may not be an answer; undefined where everything may. */
function excludedOf(
  { exclude, allowed }: Pick<SetsRequest, 'exclude' | 'allowed'>,
  universe: number,
  known: () => EntitySet,
): EntitySet | undefined {
  const excluded = exclude === 'known' ? known() : undefined;
  if (allowed === undefined) return excluded;
  const others = EntitySet.from(universe, allowed).complement();
  return excluded === undefined ? others : others.unionWith(excluded);
}

/** Entities that may not be an answer, and those that are rejected for the link that a query asks for. */
function withRejected(
  { confidences, entityCount }: KnowledgeGraph,
  query: Query,
  excluded: EntitySet | undefined,
): EntitySet | undefined {
  if (query.op !== 'project' || query.from.op !== 'entity') return excluded;
  const tails = rejectedTails(confidences, query.from.entity, query.relation);
  if (tails.length === 0) return excluded;
  const rejected = EntitySet.from(entityCount, tails);
  return excluded === undefined ? rejected : rejected.unionWith(excluded);
}

function marksOf(ids: Int32Array, set: EntitySet): Uint8Array {
  // A loop, since `Uint8Array.from` with a function takes several times as long.
  const marks = new Uint8Array(ids.length);
  for (let place = 0; place < ids.length; place += 1) marks[place] = set.has(ids[place]!) ? 1 : 0;
  return marks;
}
