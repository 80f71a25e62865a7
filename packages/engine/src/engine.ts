import { type EntityId, type EntitySet, FuzzError, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import type { BundleSource, GraphEntry, Manifest, Profile } from '@fuzzqe/core/bundle';
import {
  checkQuery,
  createAnswerer,
  type Query,
  queryWarnings,
  structureNames,
  templateOf,
} from '@fuzzqe/core/query';
import type { WantedAnswers } from '@fuzzqe/core/sets';
import type {
  Answer,
  AnswerMode,
  AnswerOptions,
  EmbeddingAnswer,
  EmbeddingOptions,
  Exclusion,
  SetsAnswer,
  SetsOptions,
} from './answer.ts';
import { type BundleOptions, openBundle } from './bundle.ts';
import { checkAnswerOptions, checkK } from './check-options.ts';
import { createAllowedMasks } from './embedding/allowed-masks.ts';
import { embedPlans } from './embedding/embed-plans.ts';
import { type PlanChoice, planQuery, summarisePlan } from './embedding/plan.ts';
import { type Ranking, rankEmbeddings } from './embedding/rank-embeddings.ts';
import type { SessionFactory } from './sessions/session.ts';
import { createSessionCache } from './sessions/session-cache.ts';
import { createLinkProbabilities } from './sets/link-probabilities.ts';
import { setGraphNames } from './sets/set-graphs.ts';
import { createSetsMode, runSetGraphs, setGraph, summariseSets } from './sets/sets-mode.ts';
import { type RankedSet, topDegrees } from './sets/top-degrees.ts';

/** What an engine is opened from. */
export interface EngineOptions extends BundleOptions {
  readonly source: BundleSource;
  readonly sessions: SessionFactory;
  /**
   * Which graphs embed unless a call says otherwise. Default `auto`.
   *
   * Where each session holds a copy of its weights, `edge` needs one for every structure, and `operators` opens five
   * graphs instead of twenty.
   */
  readonly plan?: PlanChoice;
  /** How many queries one run takes: more is faster per query and needs more memory. Default 16. */
  readonly batchSize?: number;
}

/** How to rank by embeddings, without names. */
export interface RankOptions extends Pick<EmbeddingOptions, 'k' | 'exclude' | 'plan'> {}

/** How to rank by fuzzy sets, without names. */
export interface RankSetsOptions extends Pick<SetsOptions, 'k' | 'exclude' | 'minDegree'> {}

/** Answers queries from one bundle on one runtime. */
export interface Engine {
  readonly manifest: Manifest;
  /** The runtime and device in use, for people. */
  readonly runtime: string;
  readonly profile: string;
  readonly vocabulary: Vocabulary;
  /** The recorded facts. */
  readonly facts: KnowledgeGraph;
  /** What whoever reads this engine's answers should know, as `code: text`: `default-calibration`. */
  readonly warnings: readonly string[];
  /** False once closing has begun. */
  readonly ready: boolean;
  /**
   * The best answers to a query: by fuzzy sets, or with `mode: 'embedding'` by its embedding.
   *
   * @throws FuzzError `query`, `range` or `usage`: the query or the options. `runtime`: the runtime, or a closed engine.
   */
  answer(query: Query, options?: SetsOptions): Promise<SetsAnswer>;
  answer(query: Query, options: EmbeddingOptions): Promise<EmbeddingAnswer>;
  answer(query: Query, options?: AnswerOptions): Promise<Answer>;
  /**
   * As `answer` for each query, in their order, with one run for what queries have alike. Queries that run together do
   * not change each other's scores or degrees beyond rounding.
   */
  answerAll(queries: readonly Query[], options?: SetsOptions): Promise<SetsAnswer[]>;
  answerAll(queries: readonly Query[], options: EmbeddingOptions): Promise<EmbeddingAnswer[]>;
  answerAll(queries: readonly Query[], options?: AnswerOptions): Promise<Answer[]>;
  /** S_q of a query. Shape: [d]. */
  embed(query: Query, options?: Pick<RankOptions, 'plan'>): Promise<Float32Array>;
  /** What the model says about each query by itself: embedding, ids and scores. */
  rank(queries: readonly Query[], options?: RankOptions): Promise<Ranking[]>;
  /** The fuzzy set of the answers of each query: degrees of all entities. Shape: [|E|] each. */
  degrees(queries: readonly Query[]): Promise<Float32Array[]>;
  /** The best of these sets: ids and degrees. */
  rankSets(queries: readonly Query[], options?: RankSetsOptions): Promise<RankedSet[]>;
  /**
   * Opens graphs now instead of when first needed: those of one mode, or of both. By the plan `edge`, graphs of other
   * trees stay closed, since each holds weights of its own.
   */
  warmUp(mode?: AnswerMode): Promise<void>;
  /** Refuses new queries, waits for those under way and closes the sessions. */
  close(): Promise<void>;
}

/**
 * Opens a bundle for answering.
 *
 * @throws FuzzError `bundle`: a file is missing, damaged, of another version or not signed as it has to be. `usage`: the
 * bundle has no such profile, or a key is none.
 * @example
 * const engine = await openEngine({ source: folderSource('bundle'), sessions: nodeSessions('bundle') });
 * const { answers } = await engine.answer(parseQueryText('project(borders, France)', engine.vocabulary));
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { sessions: factory, batchSize = 16 } = options;
  const defaultPlan = options.plan ?? 'auto';
  const { source, manifest, profile, profileName, vocabulary, facts, partitions } = await openBundle(
    options.source,
    options,
  );
  const { entityCount } = facts;
  const sessions = createSessionCache(factory, source);
  const answerer = createAnswerer(facts);
  const masks = createAllowedMasks(entityCount, batchSize);
  const context = { profile, sessions, batchSize };
  const { model, sets } = manifest;
  const answerSets = createSetsMode({ ...context, model, calibration: sets.calibration, partitions, facts });
  const likelyLinks = createLinkProbabilities({
    model,
    probability: sets.probability,
    facts,
    run: runSetGraphs(context),
  });
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

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
  const checkAll = (queries: readonly Query[]): void => {
    for (const query of queries) checkQuery(query, facts);
  };
  /** What the facts give to a query, and of a conjunction to each operand. */
  const knownOf = (query: Query): { readonly all: EntitySet; readonly operands: readonly EntitySet[] } => {
    const { template, anchors, relations } = templateOf(query);
    const exact = (node: typeof template): EntitySet => answerer.answer(node, anchors, relations).clone();
    return { all: exact(template), operands: template.op === 'and' ? template.operands.map(exact) : [] };
  };
  const nameOf = (id: number, known: EntitySet) => {
    // Rankings are checked to hold entities of this bundle.
    const entity = id as EntityId;
    const { key, label } = vocabulary.entity(entity);
    return { id: entity, key, label, known: known.has(id) };
  };

  const answerBySets = async (queries: readonly Query[], options: SetsOptions): Promise<SetsAnswer[]> => {
    const { exclude, minDegree, probability = false } = options;
    const k = checkK(options.k, entityCount);
    checkAll(queries);
    const facts = queries.map(knownOf);
    const wanted = facts.map(({ all }) => wantedOf(all, k, exclude));
    const found = await answerSets(queries, wanted);
    const likely = probability ? await likelyLinks(queries) : [];
    return queries.map((query, i): SetsAnswer => {
      const { degrees, operands } = found[i]!;
      const known = facts[i]!;
      const best = topDegrees(degrees, { k, minDegree, excluded: wanted[i]!.excluded });
      const answers = Array.from(best.ids, (id, place) => ({
        ...nameOf(id, known.all),
        degree: best.degrees[place]!,
        ...probabilityField(known.all.has(id) ? undefined : likely[i]?.(id)),
        ...(operands.length === 0
          ? {}
          : {
              operands: operands.map((set, at) => ({
                degree: set[id]!,
                known: known.operands[at]!.has(id),
              })),
            }),
      }));
      return {
        mode: 'sets',
        answers,
        warnings: [...queryWarnings(query), ...fewWarnings(answers.length, k, options)],
        plan: summariseSets(query),
      };
    });
  };

  const rank = async (queries: readonly Query[], options: RankOptions): Promise<Ranking[]> => {
    const k = checkK(options.k, entityCount);
    checkAll(queries);
    const plans = queries.map((query) => planQuery(query, options.plan ?? defaultPlan));
    const embeddings = await embedPlans(context, plans);
    const requests = embeddings.map((embedding, i) => ({
      embedding,
      excluded: options.exclude === 'known' ? knownOf(queries[i]!).all : undefined,
    }));
    return rankEmbeddings(context, masks, requests, k);
  };

  const answerByEmbedding = async (
    queries: readonly Query[],
    options: EmbeddingOptions,
  ): Promise<EmbeddingAnswer[]> => {
    const rankings = await rank(queries, options);
    return queries.map((query, i): EmbeddingAnswer => {
      const { ids, scores } = rankings[i]!;
      const known = knownOf(query).all;
      return {
        mode: 'embedding',
        answers: Array.from(ids, (id, place) => ({ ...nameOf(id, known), score: scores[place]! })),
        warnings: queryWarnings(query),
        plan: summarisePlan(query, planQuery(query, options.plan ?? defaultPlan)),
      };
    });
  };

  const rankSets = async (queries: readonly Query[], options: RankSetsOptions): Promise<RankedSet[]> => {
    checkAnswerOptions(options);
    const k = checkK(options.k, entityCount);
    checkAll(queries);
    const wanted = queries.map((query) => wantedOf(knownOf(query).all, k, options.exclude));
    const found = await answerSets(queries, wanted);
    return found.map(({ degrees }, i) =>
      topDegrees(degrees, { k, minDegree: options.minDegree, excluded: wanted[i]!.excluded }),
    );
  };

  const embed = async (query: Query, choice: PlanChoice): Promise<Float32Array> => {
    checkQuery(query, facts);
    const [embedding] = await embedPlans(context, [planQuery(query, choice)]);
    return embedding!.slice();
  };

  function answerAll(queries: readonly Query[], options?: SetsOptions): Promise<SetsAnswer[]>;
  function answerAll(queries: readonly Query[], options: EmbeddingOptions): Promise<EmbeddingAnswer[]>;
  function answerAll(queries: readonly Query[], options?: AnswerOptions): Promise<Answer[]>;
  function answerAll(queries: readonly Query[], options: AnswerOptions = {}): Promise<Answer[]> {
    return during(async () => {
      checkAnswerOptions(options);
      return options.mode === 'embedding'
        ? answerByEmbedding(queries, options)
        : answerBySets(queries, options);
    });
  }
  function answer(query: Query, options?: SetsOptions): Promise<SetsAnswer>;
  function answer(query: Query, options: EmbeddingOptions): Promise<EmbeddingAnswer>;
  function answer(query: Query, options?: AnswerOptions): Promise<Answer>;
  async function answer(query: Query, options: AnswerOptions = {}): Promise<Answer> {
    return (await answerAll([query], options))[0]!;
  }

  return {
    manifest,
    profile: profileName,
    vocabulary,
    facts,
    warnings: sets.fitted === null ? [unfitted] : [],
    get runtime() {
      return factory.runtime;
    },
    get ready() {
      return closing === undefined;
    },
    answer,
    answerAll,
    embed: (query, { plan = defaultPlan } = {}) => during(() => embed(query, plan)),
    rank: (queries, options = {}) => during(() => rank(queries, options)),
    degrees: (queries) =>
      during(async () => {
        checkAll(queries);
        // Sets may be shared among queries; these are the caller's own.
        return (await answerSets(queries)).map(({ degrees }) => degrees.slice());
      }),
    rankSets: (queries, options = {}) => during(() => rankSets(queries, options)),
    warmUp: (mode) =>
      during(async () => {
        for (const graph of graphsOf(profile, defaultPlan, mode)) await sessions.get(graph);
      }),
    close() {
      closing ??= Promise.allSettled(underWay).then(() => sessions.close());
      return closing;
    },
  };
}

const unfitted =
  'default-calibration: degrees are by the default calibration, which no validation queries of this model were asked for; fuzzqe calibrate fits one';

/** The k best answers, without those that are recorded where these are excluded. */
function wantedOf(recorded: EntitySet, count: number, exclude: Exclusion | undefined): WantedAnswers {
  return { count, recorded, excluded: exclude === 'known' ? recorded : undefined };
}

/** Where nothing is said of an answer, its field is left out. */
function probabilityField(probability: number | undefined): { readonly probability?: number } {
  return probability === undefined ? {} : { probability };
}

/** Says where degrees end before the answers that were asked for. */
function fewWarnings(count: number, k: number, { exclude, minDegree }: SetsOptions): readonly string[] {
  if (count === k || minDegree !== undefined) return [];
  const others = exclude === 'known' ? 'nothing else that is not recorded' : 'nothing else';
  return [`few-answers: ${count} of ${k} answers, ${others} has a degree above 0`];
}

/** The graphs that a mode, or both, and a plan need. */
function graphsOf(profile: Profile, plan: PlanChoice, mode: AnswerMode | undefined): ReadonlySet<GraphEntry> {
  const { operators, structures, program, edge, rank } = profile;
  const sets = setGraphNames.map((name) => setGraph(profile, name));
  if (mode === 'sets') return new Set(sets);
  const own = plan === 'structure' || plan === 'auto' ? structureNames.map((name) => structures[name]) : [];
  const mixed = plan === 'program' || plan === 'auto' ? [program] : [];
  const embedding = plan === 'edge' ? [edge] : [...Object.values(operators), ...own, ...mixed];
  return new Set([...(mode === undefined ? sets : []), ...embedding, rank]);
}
