import type { BundleSource, GraphEntry, Manifest, Profile } from '@fuzzqe/bundle';
import { FuzzError, type KnowledgeGraph, keptBy } from '@fuzzqe/core';
import { traitsOf } from '@fuzzqe/model';
import { createAllowedMasks } from '../embedding/allowed-masks.ts';
import type { NewEntities } from '../embedding/new-entities.ts';
import { type PlanChoice, planIn } from '../embedding/plan.ts';
import { rankedAtOnce } from '../embedding/rank-embeddings.ts';
import { rowsOfCentroids, rowsOfProjection } from '../embedding/run-operators.ts';
import { combinedSessions } from '../sessions/combined-sessions.ts';
import type { DerivedGraph } from '../sessions/rank-all.ts';
import type { Session, SessionFactory } from '../sessions/session.ts';
import { createSessionCache } from '../sessions/session-cache.ts';
import { createLinkScores } from '../sets/link-scores.ts';
import { expectGrowth } from './expect-growth.ts';
import { createLifetime } from './lifetime.ts';
import type { AnswerMode, OfEpoch, Ranker } from './ranker.ts';
import type { RankerGrowth } from './ranker-growth.ts';
import { type RankContext, runRequests, type SetsContext } from './run-requests.ts';
import { createSetsContexts, type GraphEvidence, type SetsLimits, type SetsSource } from './sets-context.ts';

/** How a ranker runs graphs in its own thread. */
export interface LocalRankerOptions extends SetsLimits {
  readonly sessions: SessionFactory;
  /**
   * Which graphs embed unless a request says otherwise. Default `auto`.
   *
   * Where each session holds a copy of its weights, `edge` needs one for every structure, and `operators` opens five
   * graphs instead of twenty.
   */
  readonly plan?: PlanChoice;
  /** Hears, in one line, of what the runtime refuses and can be done without. Default: nobody. */
  readonly log?: ((line: string) => void) | undefined;
}

/** What a model is ranked with. */
export interface RankedModel {
  /** Where graphs and weights are read from: verified, where that was wanted, and graphs checked. */
  readonly source: BundleSource;
  readonly manifest: Pick<Manifest, 'model'> & { readonly sets: Pick<Manifest['sets'], 'projection'> };
  readonly profile: Profile;
  /** The recorded facts. */
  readonly facts: KnowledgeGraph;
  /** The facts that declared axioms entail; undefined where the graph declares no such axioms. */
  readonly entailed?: KnowledgeGraph | undefined;
  /** As of an epoch. */
  readonly axioms?: SetsSource['axioms'];
  /** What joins the evidence of links, and the rules. */
  readonly evidence: GraphEvidence;
  /** The ranking without a mask, `rankAllOf`; only runtimes that open derived graphs use it. */
  readonly rankAll?: DerivedGraph | undefined;
  /** Lets the ranker follow a graph that grows: `rankerGrowth`, as `changeable` gives it. Default: a grown graph is refused. */
  readonly growth?: RankerGrowth | undefined;
  /** Answers requests instead of `runRequests`: `runAmongCandidates`, where an index may find tails. */
  readonly run?: typeof runRequests | undefined;
}

/** What of a bundle is ranked with. */
export interface RankedBundle extends RankedModel {
  readonly manifest: Manifest;
}

/** Bytes of an entity table that both rankings may lay out for speed. */
const mostCopiedTwice = 2 ** 24;

/**
 * A ranker that runs the graphs of a model in this thread, with one run for what requests have alike.
 *
 * @example
 * const ranker = createLocalRanker(bundle, { sessions: nodeSessions('bundle') });
 */
export function createLocalRanker(bundle: RankedModel, options: LocalRankerOptions): Ranker {
  const { manifest, profile, facts, entailed, axioms, evidence, growth } = bundle;
  const { batchSize = 32 } = options;
  const { choice: plan } = planIn(profile, options.plan ?? 'auto');
  const { model, sets } = manifest;
  let rankAll = options.sessions.openDerived === undefined ? undefined : bundle.rankAll;
  // Next to the ranking without a mask, the one with it would hold a second copy of all entities; from it, 16 queries take a third less.
  const isLarge = 4 * model.entities * model.dimension > mostCopiedTwice;
  const centroidsAtOnce = rowsOfCentroids(profile, model);
  const isCompact = (graph: GraphEntry): boolean =>
    rankAll !== undefined && isLarge && graph === profile.rank;
  const sessions = createSessionCache(combinedSessions(options.sessions, profile), bundle.source, isCompact);
  let told = '';
  const openRankAll = async (): Promise<Session | undefined> => {
    if (rankAll === undefined) return undefined;
    try {
      return await sessions.get(rankAll);
    } catch (cause) {
      if (!(cause instanceof FuzzError) || cause.code !== 'runtime') throw cause;
      if (rankAll !== undefined && told !== cause.message)
        options.log?.(`the ranking without a mask is not used, the runtime refuses it: ${cause.message}`);
      told = cause.message;
      // What lacks memory now may have it at a later run; the runtime knows how often to try.
      if (!cause.passing) rankAll = undefined;
      return undefined;
    }
  };
  const projectedAtOnce = rowsOfProjection(profile, model);
  const scores = createLinkScores({
    model,
    run: async (feeds) => (await sessions.get(profile.links)).run(feeds),
  });
  // Families by distances, and of one structure, fold nothing in.
  const { distances, only } = traitsOf(model);
  const moreOf = (vectors: Float32Array | undefined): NewEntities | undefined =>
    vectors && !(distances ?? only)
      ? { first: model.entities, dimension: model.dimension, vectors }
      : undefined;
  const source: SetsSource = {
    ...{ facts, entailed, axioms, evidence, logic: model.logic, projection: sets.projection, growth },
    scoresOf: (size, vectors) =>
      size.entityCount === model.entities && size.relationCount === model.relations
        ? scores
        : expectGrowth(growth).linkScores(
            { scores, model, context: { ...ofModel, more: moreOf(vectors) } },
            size,
          ),
  };
  const masks = createAllowedMasks(facts.entityCount, rankedAtOnce(facts.entityCount, batchSize));
  const ofModel = {
    ...{ profile, sessions, batchSize, projectedAtOnce, centroidsAtOnce },
    ...{ model, plan, openRankAll, masks, growth },
    temperature: evidence.weights.temperature ?? 1,
  };
  const contexts = createSetsContexts(source, options);
  const { cache } = contexts;
  const withModel = keptBy(
    (context: SetsContext): RankContext => ({
      ...context,
      model: { ...ofModel, more: moreOf(context.vectors) },
    }),
  );
  const contextAt = (which: OfEpoch): RankContext => withModel(contexts.at(which));
  const lifetime = createLifetime(() => sessions.close());
  const { during } = lifetime;
  return {
    get runtime() {
      return options.sessions.runtime;
    },
    plan,
    get ready() {
      return lifetime.open;
    },
    ...(cache === undefined ? {} : { cache }),
    rank: (batch, limits = {}) => during(() => (bundle.run ?? runRequests)(contextAt, batch, limits)),
    follow: (epoch) => during(async () => contexts.follow(epoch)),
    warmUp: (mode) =>
      during(async () => {
        for (const graph of graphsOf(profile, plan, mode)) {
          // First: whether it opens decides how the one with a mask is laid out.
          if (graph === profile.rank) await openRankAll();
          await sessions.get(graph);
        }
      }),
    close: () => lifetime.close(),
  };
}

/** The graphs that a mode, or both, and a plan need. */
export function graphsOf(profile: Profile, wanted: PlanChoice, mode?: AnswerMode): ReadonlySet<GraphEntry> {
  const { operators, structures, program, edge, rank, links } = profile;
  if (mode === 'sets') return new Set([profile.links]);
  const { choice: plan } = planIn(profile, wanted);
  const own = plan === 'structure' || plan === 'auto' ? Object.values(structures ?? {}) : [];
  const mixed = (plan === 'program' || plan === 'auto') && program !== undefined ? [program] : [];
  const embedding = plan === 'edge' ? [edge] : [...Object.values(operators), ...own, ...mixed];
  return new Set([...(mode === undefined ? [links] : []), ...embedding, rank]);
}
