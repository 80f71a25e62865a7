import { type BundleSource, type Manifest, modesOf } from '@fuzzqe/bundle';
import { type FactChanges, FuzzError, finish, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import { checkQuery, type Pattern, type Query } from '@fuzzqe/core/query';
import { type AttributeColumn, attributeColumns, type NameChanges, noAttributes } from '@fuzzqe/names';
import {
  type Answer,
  type AnswerMode,
  type AnswerOptions,
  answerModes,
  type EmbeddingAnswer,
  type EmbeddingOptions,
  type RankOptions,
  type RankSetsOptions,
  type SetsAnswer,
  type SetsOptions,
} from './answer.ts';
import { type BundleOptions, bundleForms, openBundle } from './bundle.ts';
import { answerOptionNames, checkAnswerOptions, checkK } from './check-options.ts';
import { type CostOptions, costSizeOf, estimateCost } from './cost/estimate-cost.ts';
import { patternCost } from './cost/pattern-cost.ts';
import { checkQueries, createAnswering } from './create-answering.ts';
import { checkTrained } from './embedding/check-trained.ts';
import { planKinds } from './embedding/plan.ts';
import type { Ranking } from './embedding/rank-embeddings.ts';
import type { EngineBundle, EngineManifest } from './engine-manifest.ts';
import { warningsOf } from './engine-warnings.ts';
import { describeEntity, type EntityDescription, type EntityOptions } from './entity-page/describe-entity.ts';
import { importedProvenance, type ProvenanceOf } from './explain/fact-provenance.ts';
import { type FactsChanged, type NamesChanged, noChanges } from './fact-changes.ts';
import {
  aFunction,
  anything,
  atLeast,
  checkForms,
  checkOptions,
  flag,
  has,
  integerIn,
  type OptionForm,
  oneOf,
} from './options/option-forms.ts';
import { createLikeness } from './patterns/model-likeness.ts';
import type { PatternAnswer, PatternOptions } from './patterns/pattern-answer.ts';
import { createLifetime } from './ranker/lifetime.ts';
import { createLocalRanker, type LocalRankerOptions } from './ranker/local-ranker.ts';
import type { Ranker } from './ranker/ranker.ts';
import { rankerAt } from './ranker/ranker-at.ts';
import type { RankedSet } from './sets/top-degrees.ts';

/** What an engine is opened from. */
export interface EngineOptions extends BundleOptions, LocalRankerOptions {
  readonly source: BundleSource;
}

/** Answers queries from one bundle on one runtime, or from a graph without a model. */
export interface Engine {
  readonly manifest: EngineManifest;
  /** The runtime and device in use, for people. */
  readonly runtime: string;
  readonly profile: string;
  readonly vocabulary: Vocabulary;
  /** The recorded facts, those of the last change. */
  readonly facts: KnowledgeGraph;
  /** How often the facts have changed since the engine was opened. */
  readonly epoch: number;
  /** How many relations were there when weights and rules were made, inverses included: those that came later are answered by facts, and by rules that are mined from them. */
  readonly trainedRelations: number;
  /** What ranks for it, without names; requests to it have to be checked before. */
  readonly ranker: Ranker;
  /** What anyone who reads this engine's answers should know, as `code: text`: `default-calibration`, `embedding-only`, `no-model`. */
  readonly warnings: readonly string[];
  /** Whether it answers: false once closing has begun, and while no ranker is there. */
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
  /**
   * The best answers to a pattern: a tuple of entities each, one for each answer variable.
   *
   * @throws FuzzError `query`, `range` or `usage`: the pattern or the options.
   * @example
   * const { rows } = await engine.match(parsePatternText('?x, ?y : borders(?x, ?y)', engine.vocabulary));
   */
  match(pattern: Pattern, options?: PatternOptions): Promise<PatternAnswer>;
  /** S_q of a query. Shape: [d]. */
  embed(query: Query, options?: Pick<RankOptions, 'plan'>): Promise<Float32Array>;
  /** What the model says about each query by itself: embedding, ids and scores. */
  rank(queries: readonly Query[], options?: RankOptions): Promise<Ranking[]>;
  /** The fuzzy set of the answers of each query: degrees of all entities. Shape: [|E|] each. */
  degrees(queries: readonly Query[]): Promise<Float32Array[]>;
  /** The best of these sets: ids and degrees. */
  rankSets(queries: readonly Query[], options?: RankSetsOptions): Promise<RankedSet[]>;
  /** The facts of an entity, and the best new ones of each relation: `describeEntity`. */
  describeEntity(id: number, options?: EntityOptions): Promise<EntityDescription>;
  /** How long an answer takes where nothing is saved, in milliseconds of one core: `estimateCost`. Throws: as `answer`. */
  costOf(query: Query, options?: AnswerOptions & Pick<CostOptions, 'next'>): number;
  /** How long a pattern takes at most, in milliseconds of one core: `estimatePatternCost`. Throws: as `match`. */
  costOfPattern(pattern: Pattern, options?: PatternOptions): number;
  /**
   * Adds and removes facts in one step, after the changes before this change.
   *
   * A query that begins when the promise is kept is answered by the new facts; a query under way keeps the facts with which it began.
   * Weights, ranges and the rarity of attributes stay those of the facts as opened.
   *
   * @throws FuzzError `data`: as `changedFacts`. `usage`: a bundle without facts, or a ranker that takes no changes.
   */
  changeFacts(changes: FactChanges): Promise<FactsChanged>;
  /** Where a recorded fact comes from: as was told, else as the data of the graph say. */
  readonly provenanceOf: ProvenanceOf;
  /** Shows from now on where recorded facts come from; of other facts, the data of the graph say it. */
  tellProvenance(of: ProvenanceOf): void;
  /**
   * Adds entities and relations, whose ids follow those that are there, and changes names and literals of others.
   *
   * A new entity answers by its facts at once, by rules, and by similar entities; `folded` says when it has a vector. A new relation answers by its facts, and by rules
   * that are mined from them.
   *
   * @throws FuzzError `data`: as `put` of a growing vocabulary. `usage`: as `changeFacts`.
   */
  changeNames(changes: NameChanges): Promise<NamesChanged>;
  /** The properties whose values are literals, with those that `changeNames` added. Throws: as the reader of a bundle. */
  attributeColumns(): Promise<readonly AttributeColumn[]>;
  /** Waits until the entities that came after the model have vectors from the facts of now. Throws: `usage`, as `changeFacts`. */
  folded(): Promise<void>;
  /**
   * Opens graphs, and prepares the search of names, now instead of when first needed: those of one mode, or of both. By the plan `edge`, graphs of other
   * trees stay closed, since each holds weights of its own.
   */
  warmUp(mode?: AnswerMode): Promise<void>;
  /** Refuses new queries, waits for those under way and closes the sessions. */
  close(): Promise<void>;
}

/** An engine that was opened from a bundle. */
export interface BundleEngine extends Engine {
  readonly manifest: Manifest;
}

/**
 * Opens a bundle for answering in this thread.
 *
 * @throws FuzzError `bundle`: a file is missing, damaged, of another version or not signed as it has to be. `usage`: the
 * bundle has no such profile, a key is none, or another option.
 * @example
 * const engine = await openEngine({ source: folderSource('bundle'), sessions: nodeSessions('bundle') });
 * const { answers } = await engine.answer(parseQueryText('project(borders, France)', engine.vocabulary));
 */
export async function openEngine(options: EngineOptions): Promise<BundleEngine> {
  checkOptions(options, engineForms);
  const { source = null, sessions = null }: { source?: unknown; sessions?: unknown } = options;
  checkForms(
    { source, sessions },
    {
      source: ['the source of a bundle', (value) => has(value, 'read')],
      sessions: ['a runtime', (value) => has(value, 'open')],
    },
    'usage',
    '$',
    'As { source: folderSource(folder), sessions: nodeSessions(folder) } of @fuzzqe/serve.',
  );
  const bundle = await openBundle(options.source, options);
  const rankAll = await options.sessions.derive?.(bundle.source, bundle.profile);
  return createEngine(bundle, createLocalRanker({ ...bundle, rankAll }, options));
}

const engineForms: Readonly<Record<keyof EngineOptions, OptionForm>> = {
  ...bundleForms,
  source: anything,
  sessions: anything,
  plan: oneOf('auto', ...planKinds),
  batchSize: integerIn(1, 2 ** 16),
  cacheBytes: atLeast(0),
  log: aFunction,
};

/**
 * An engine over a bundle or a graph and whatever ranks for it, which it closes.
 *
 * @example
 * const mine = createEngine(bundle, createLocalRanker(bundle, { sessions: nodeSessions('bundle') }));
 */
export function createEngine<Of extends EngineManifest>(
  bundle: EngineBundle<Of>,
  ranker: Ranker,
): Engine & { readonly manifest: Of } {
  const { manifest, profileName, vocabulary, textsOf } = bundle;
  const { sets, modes } = manifest;
  const hasFacts = modesOf(manifest).includes('sets');
  const lifetime = createLifetime(() => ranker.close());
  let told: ProvenanceOf | undefined;
  const provenanceOf: ProvenanceOf = (head, relation, tail) =>
    told?.(head, relation, tail) ?? importedProvenance(bundle.provenances, now.facts, head, relation, tail);
  const trainedRelations = bundle.facts.relationCount;
  const likenessOf = createLikeness(ranker, {
    entities: manifest.model?.entities ?? 0,
    share: sets.likeness ?? 0,
  });
  const epochOf = (epoch: number, facts: KnowledgeGraph) => {
    const ofEpoch = ranker.follow === undefined ? ranker : rankerAt(ranker, { epoch });
    // New entities are compared in addition to what an index finds.
    const came = facts.entityCount - bundle.facts.entityCount;
    const ranked = ranker.rankedRows === undefined ? undefined : ranker.rankedRows + came;
    const costSize = costSizeOf(manifest.model, sets.projection, facts, ranked);
    return {
      epoch,
      facts,
      forms: { modes, entityCount: facts.entityCount, relationCount: facts.relationCount },
      ranker: ofEpoch,
      /** How many calls are under way that began with it. */
      calls: 0,
      ...createAnswering({ ...bundle, facts, provenanceOf, trainedRelations, likenessOf }, ofEpoch),
      costSize,
      describing: {
        ...{ vocabulary, facts, ranker: ofEpoch, costSize, provenanceOf },
        textsOf: (id: number) => textsOf(id, vocabulary),
      },
    };
  };
  type Epoch = ReturnType<typeof epochOf>;
  let now = epochOf(0, bundle.facts);
  /** Those that calls under way began with, and the last one, in order. */
  let epochs = [now];
  /** Does work by the facts of now, whatever comes while it is under way. */
  const duringEpoch = <T>(work: (epoch: Epoch) => Promise<T>): Promise<T> =>
    lifetime.during(async () => {
      const epoch = now;
      epoch.calls += 1;
      try {
        return await work(epoch);
      } finally {
        epoch.calls -= 1;
      }
    });
  const changes = bundle.factChanges?.({
    get facts() {
      return now.facts;
    },
    get epoch() {
      return now.epoch;
    },
    async follow(graph, rows) {
      epochs = epochs.filter((each) => each === now || each.calls > 0);
      const next = epochOf(now.epoch + 1, graph);
      // `changeFacts` has found that the ranker follows.
      await ranker.follow!({ ...rows, epoch: next.epoch, oldest: epochs[0]!.epoch });
      epochs.push(next);
      now = next;
    },
    async fold(entities) {
      const [folded] = await now.ranker.rank([{ task: 'fold', entities }]);
      return folded!.vectors;
    },
  });
  /** Does work with what changes facts. */
  const changing = <T>(work: (made: NonNullable<typeof changes>) => Promise<T>): Promise<T> =>
    lifetime.during(async () => {
      if (!hasFacts || ranker.follow === undefined || changes === undefined) throw noChanges(hasFacts);
      return work(changes);
    });

  const rank = async (
    { ranker: ranked, facts, forms }: Epoch,
    queries: readonly Query[],
    options: RankOptions,
  ): Promise<Ranking[]> => {
    checkAnswerOptions(options, forms, ['k', 'exclude', 'plan'], 'embedding');
    const { exclude, plan } = options;
    const k = checkK(options.k, facts.entityCount);
    checkQueries(queries, facts);
    checkTrained(queries, manifest.model);
    const results = await ranked.rank(
      queries.map((query) => ({
        task: 'embedding' as const,
        query,
        k,
        exclude,
        plan,
        withEmbedding: true,
      })),
    );
    return results.map(({ ids, scores, embedding }) => ({ ids, scores, embedding: embedding! }));
  };

  const rankSets = async (
    { ranker: ranked, facts, forms }: Epoch,
    queries: readonly Query[],
    options: RankSetsOptions,
  ): Promise<RankedSet[]> => {
    checkAnswerOptions(options, forms, ['k', 'exclude', 'minDegree']);
    const { exclude, minDegree } = options;
    const k = checkK(options.k, facts.entityCount);
    checkQueries(queries, facts);
    const results = await ranked.rank(
      queries.map((query) => ({ task: 'sets' as const, query, k, exclude, minDegree })),
    );
    return results.map(({ ids, degrees }) => ({ ids, degrees }));
  };

  function answerAll(queries: readonly Query[], options?: SetsOptions): Promise<SetsAnswer[]>;
  function answerAll(queries: readonly Query[], options: EmbeddingOptions): Promise<EmbeddingAnswer[]>;
  function answerAll(queries: readonly Query[], options?: AnswerOptions): Promise<Answer[]>;
  function answerAll(queries: readonly Query[], options: AnswerOptions = {}): Promise<Answer[]> {
    return duringEpoch(async ({ answerByEmbedding, answerBySets, forms }) => {
      checkAnswerOptions(options, forms);
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
    trainedRelations,
    get facts() {
      return now.facts;
    },
    get epoch() {
      return now.epoch;
    },
    ranker,
    warnings: warningsOf(manifest),
    get runtime() {
      return ranker.runtime;
    },
    get ready() {
      return lifetime.open && ranker.ready;
    },
    answer,
    answerAll,
    match: (pattern, options = {}) => duringEpoch(({ match }) => match(pattern, options)),
    embed: (query, options = {}) =>
      duringEpoch(async ({ ranker: ranked, facts, forms }) => {
        checkAnswerOptions(options, forms, ['plan'], 'embedding');
        const { plan } = options;
        checkQuery(query, facts);
        checkTrained([query], manifest.model);
        const [result] = await ranked.rank([{ task: 'embed', query, plan }]);
        return result!.embedding;
      }),
    rank: (queries, options = {}) => duringEpoch((epoch) => rank(epoch, queries, options)),
    degrees: (queries) =>
      duringEpoch(async ({ ranker: ranked, facts, forms }) => {
        checkAnswerOptions({}, forms);
        checkQueries(queries, facts);
        const results = await ranked.rank(queries.map((query) => ({ task: 'degrees' as const, query })));
        return results.map(({ degrees }) => degrees);
      }),
    rankSets: (queries, options = {}) => duringEpoch((epoch) => rankSets(epoch, queries, options)),
    describeEntity: (id, options = {}) =>
      duringEpoch(async ({ describing }) => {
        if (!hasFacts)
          throw new FuzzError('usage', 'entity: expected a bundle with facts, got one without', {
            hint: 'Ask a bundle that was exported for servers.',
          });
        return describeEntity(describing, id, options);
      }),
    costOf(query, options = {}) {
      checkQuery(query, now.facts);
      checkAnswerOptions(options, now.forms, [...answerOptionNames, 'next']);
      checkForms(options, { next: flag });
      return estimateCost(query, options, now.costSize);
    },
    costOfPattern: (pattern, options = {}) => patternCost(pattern, options, now.facts, now.costSize),
    changeFacts: (change) => changing((made) => made.facts(change)),
    changeNames: (change) => changing((made) => made.names(change)),
    attributeColumns: async () => attributeColumns(vocabulary, (await bundle.attributes?.()) ?? noAttributes),
    folded: () => changing((made) => made.folded()),
    provenanceOf,
    tellProvenance(of) {
      told = of;
    },
    warmUp: (mode) =>
      lifetime.during(async () => {
        checkForms({ mode }, { mode: oneOf(...answerModes) }, 'usage', '$', 'Leave it out for both.');
        finish(vocabulary.prepareSearch());
        await ranker.warmUp(mode);
      }),
    close: () => lifetime.close(),
  };
}
