import { FuzzError, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import {
  type BundleSource,
  type GraphEntry,
  type Manifest,
  operatorNames,
  type Profile,
} from '@fuzzqe/core/bundle';
import { checkQuery, createAnswerer, type Query, queryWarnings, structureNames } from '@fuzzqe/core/query';
import { type Answer, type AnswerOptions, nameAnswers } from './answer.ts';
import { gatherBatches, type RankRequest } from './batch.ts';
import { openBundle } from './bundle.ts';
import { type PlanChoice, planQuery, summarisePlan } from './plan.ts';
import { type Ranking, runPlans } from './run-plan.ts';
import type { SessionFactory } from './session.ts';
import { createSessionCache } from './session-cache.ts';

/** What an engine is opened from. */
export interface EngineOptions {
  readonly source: BundleSource;
  readonly sessions: SessionFactory;
  /** Which stored form of the model. Default: the first that the bundle has of `fp32`, `fp16`, `int8`, `int8-basis`. */
  readonly profile?: string;
  /** Whether every file that is used is compared with its digest. Default true. */
  readonly verify?: boolean;
  /**
   * Which graphs answer unless a call says otherwise. Default `auto`.
   *
   * Where each session holds a copy of its weights, `edge` needs one for every structure, and `operators` opens six
   * graphs instead of twenty.
   */
  readonly plan?: PlanChoice;
  /** How many queries one run ranks: more is faster per query and needs more memory. Default 16. */
  readonly batchSize?: number;
}

/** How to rank without names. */
export interface RankOptions {
  /** In [1, entityCount]. Default 10, or all entities where there are fewer. */
  readonly k?: number;
  readonly plan?: PlanChoice;
}

/** Answers queries from one bundle on one runtime. */
export interface Engine {
  readonly manifest: Manifest;
  /** The runtime and device in use, for people. */
  readonly runtime: string;
  readonly profile: string;
  readonly vocabulary: Vocabulary;
  /** The recorded facts. */
  readonly facts: KnowledgeGraph;
  /** False once closing has begun. */
  readonly ready: boolean;
  /**
   * The best answers to a query.
   *
   * @throws FuzzError `query` or `range`: the query or k. `runtime`: the runtime, or a closed engine.
   */
  answer(query: Query, options?: AnswerOptions): Promise<Answer>;
  /**
   * As `answer` for each query, in their order, with one run for queries of one shape or, by the program graph, of any
   * structures. Queries that run together do not change each other's scores beyond rounding.
   */
  answerAll(queries: readonly Query[], options?: AnswerOptions): Promise<Answer[]>;
  /** S_q of a query. Shape: [d]. */
  embed(query: Query, options?: Pick<RankOptions, 'plan'>): Promise<Float32Array>;
  /** What the model says about each query by itself: embedding, ids and scores. */
  rank(queries: readonly Query[], options?: RankOptions): Promise<Ranking[]>;
  /**
   * Opens the graphs of the engine's plan now instead of when first needed; by `edge`, those of other trees stay closed,
   * since each holds weights of its own.
   */
  warmUp(): Promise<void>;
  /** Refuses new queries, waits for those under way and closes the sessions. */
  close(): Promise<void>;
}

/**
 * Opens a bundle for answering.
 *
 * @throws FuzzError `bundle`: a file is missing, damaged or too new. `usage`: the bundle has no such profile.
 * @example
 * const engine = await openEngine({ source: folderSource('bundle'), sessions: nodeSessions('bundle') });
 * const { answers } = await engine.answer(parseQueryText('project(borders, France)', engine.vocabulary));
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { sessions: factory, verify = true, batchSize = 16 } = options;
  const defaultPlan = options.plan ?? 'auto';
  const { source, manifest, profile, profileName, vocabulary, facts } = await openBundle(
    options.source,
    options.profile,
    verify,
  );
  const { entityCount } = facts;
  const sessions = createSessionCache(factory, source);
  const answerer = createAnswerer(facts);
  const context = { profile, sessions, entityCount, batchSize };
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  const checkK = (k = Math.min(10, entityCount)): number => {
    if (Number.isInteger(k) && k >= 1 && k <= entityCount) return k;
    throw new FuzzError('range', `k: expected an integer in [1, ${entityCount}], got ${k}`, {
      path: '$.k',
      hint: `The bundle has ${entityCount} entities.`,
    });
  };

  /** Keeps `close` waiting for what has begun. */
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closing !== undefined) throw new FuzzError('runtime', 'the engine is closed');
    const running = work();
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  };

  const rankAll = async (requests: readonly RankRequest[]): Promise<Ranking[]> => {
    const rankings: Ranking[] = new Array(requests.length);
    for (const batch of gatherBatches(requests, batchSize)) {
      const ranked = await runPlans(context, batch);
      batch.places.forEach((place, row) => {
        rankings[place] = ranked[row]!;
      });
    }
    return rankings;
  };

  const answerAll = async (queries: readonly Query[], options: AnswerOptions): Promise<Answer[]> => {
    const { exclude = 'none', plan: choice = defaultPlan } = options;
    const k = checkK(options.k);
    for (const query of queries) checkQuery(query, facts);
    const plans = queries.map((query) => planQuery(query, choice, profile));
    const known = plans.map((plan) => answerer.answer(plan.template, plan.anchors, plan.relations).clone());
    const rankings = await rankAll(
      plans.map((plan, i) => ({
        plan,
        k: exclude === 'known' ? Math.min(k + known[i]!.size, entityCount) : k,
      })),
    );
    return queries.map((query, i) => ({
      answers: nameAnswers(rankings[i]!, known[i]!, vocabulary, { k, exclude }),
      warnings: queryWarnings(query),
      plan: summarisePlan(query, plans[i]!),
    }));
  };

  const rank = async (queries: readonly Query[], options: RankOptions): Promise<Ranking[]> => {
    const k = checkK(options.k);
    for (const query of queries) checkQuery(query, facts);
    return rankAll(
      queries.map((query) => ({ plan: planQuery(query, options.plan ?? defaultPlan, profile), k })),
    );
  };

  return {
    manifest,
    profile: profileName,
    vocabulary,
    facts,
    get runtime() {
      return factory.runtime;
    },
    get ready() {
      return closing === undefined;
    },
    answer: (query, options = {}) => during(async () => (await answerAll([query], options))[0]!),
    answerAll: (queries, options = {}) => during(() => answerAll(queries, options)),
    embed: (query, options = {}) =>
      during(async () => (await rank([query], { ...options, k: 1 }))[0]!.embedding),
    rank: (queries, options = {}) => during(() => rank(queries, options)),
    warmUp: () =>
      during(async () => {
        for (const graph of graphsOf(profile, defaultPlan)) await sessions.get(graph);
      }),
    close() {
      closing ??= Promise.allSettled(underWay).then(() => sessions.close());
      return closing;
    },
  };
}

/** The graphs that a plan needs. */
function graphsOf(profile: Profile, plan: PlanChoice): readonly GraphEntry[] {
  const { operators, structures, program, edge } = profile;
  if (plan === 'edge' && edge !== undefined) return [edge];
  const own = plan === 'structure' || plan === 'auto' ? structureNames.map((name) => structures[name]) : [];
  const mixed = (plan === 'program' || plan === 'auto') && program !== undefined ? [program] : [];
  return [...operatorNames.map((name) => operators[name]), ...own, ...mixed];
}
