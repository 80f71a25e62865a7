import type { AnswerMode } from '@fuzzqe/bundle';
import type { FuzzError } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import type { ExplanationOptions } from '@fuzzqe/core/sets';
import type { PlanChoice } from '../embedding/plan.ts';
import type { ReasonedExplanation } from '../sets/explainer.ts';
import type { FoundPattern, PatternSearch } from '../sets/pattern-mode.ts';
import type { CallLimits } from './call-limits.ts';
import type { CacheCounters, RankerCounters, RankerObserver } from './counters.ts';
import type { FactsEpoch } from './facts-epoch.ts';

export { answerModes } from '@fuzzqe/bundle';
export type { AnswerMode };

/** What to leave out: entities that the recorded facts already give, or nothing. */
export type Exclusion = 'known' | 'none';

/** By which facts a request is answered. */
export interface OfEpoch {
  /** An epoch that `follow` gave and that is still kept; 0 are the facts as opened. Default: the facts that came last. */
  readonly epoch?: number | undefined;
  /** By the facts that hold at this moment, in seconds since 1970. Default: by all facts. Mode sets. */
  readonly at?: number | undefined;
}

interface Selection extends OfEpoch {
  readonly query: Query;
  /** In [1, |E|]. */
  readonly k: number;
  /** Default `none`. */
  readonly exclude?: Exclusion | undefined;
  /** The entities that may be answers. Default: all. */
  readonly allowed?: Int32Array | undefined;
}

/** The entities that an index found nearest to the projection of a link. */
export interface FoundTails {
  readonly head: number;
  readonly relation: number;
  /** [n], each once. */
  readonly ids: Int32Array;
}

/** A link whose tails an index has to find. */
export interface WantedTails {
  readonly head: number;
  readonly relation: number;
  /** What multiplies the vectors of entities: the best tails have the highest products [d]. */
  readonly direction: Float32Array;
  /** How many tails are enough. */
  readonly count: number;
}

/** Where a request is answered among candidates, which an index finds, instead of all entities. */
interface AmongCandidates {
  /** What the index has found by now. Default: all entities are compared. */
  readonly tails?: readonly FoundTails[] | undefined;
}

/** What is missing before a request can be answered among candidates. */
interface NeedsTails {
  /** Links that the index is to be asked about. The result is empty, and the same request with their tails goes on. */
  readonly wanted?: readonly WantedTails[] | undefined;
}

/** Asks for the best members of the fuzzy set of a query. */
export interface SetsRequest extends Selection, AmongCandidates {
  readonly task: 'sets';
  /** The lowest degree of what is listed, in [0, 1]. Default: every degree above 0. */
  readonly minDegree?: number | undefined;
  /** Puts first, and lists at any degree above 0, what the facts give; in [0, 1]: what has at least this degree comes before it. */
  readonly answersFrom?: number | undefined;
}

/** Asks for the entities with the highest scores. */
export interface EmbeddingRequest extends Selection {
  readonly task: 'embedding';
  /** Default: the ranker's. */
  readonly plan?: PlanChoice | undefined;
  /** Whether S_q is given as well. Default false. */
  readonly withEmbedding?: boolean | undefined;
}

/** Asks for the whole fuzzy set of a query. */
export interface DegreesRequest extends OfEpoch {
  readonly task: 'degrees';
  readonly query: Query;
}

/** Asks for S_q. */
export interface EmbedRequest extends OfEpoch {
  readonly task: 'embed';
  readonly query: Query;
  /** Default: the ranker's. */
  readonly plan?: PlanChoice | undefined;
}

/** Asks why entities answer a query by fuzzy sets. */
export interface ExplainRequest extends ExplanationOptions, OfEpoch, AmongCandidates {
  readonly task: 'explain';
  readonly query: Query;
}

/** Asks what the recorded facts give to a query by themselves. */
export interface RecordedRequest extends OfEpoch {
  readonly task: 'recorded';
  readonly query: Query;
}

/** Asks how chosen entities score by an embedding, no matter who chose the entities. */
export interface ScoreRequest extends OfEpoch {
  readonly task: 'score';
  /** S_q [d]. */
  readonly embedding: Float32Array;
  /** [n], in [0, |E|). */
  readonly ids: Int32Array;
}

/** Asks for the vectors of entities that came after the model, by their facts. */
export interface FoldRequest extends OfEpoch {
  readonly task: 'fold';
  /** [n], in [entities of the model, |E|). */
  readonly entities: Int32Array;
}

/** Asks for the best tuples of a pattern. */
export interface PatternRequest extends PatternSearch, OfEpoch {
  readonly task: 'pattern';
}

/** What a ranker is asked: ids only, checked before, and nothing that a message cannot carry. */
export type RankRequest =
  | SetsRequest
  | EmbeddingRequest
  | PatternRequest
  | DegreesRequest
  | EmbedRequest
  | ExplainRequest
  | RecordedRequest
  | ScoreRequest
  | FoldRequest;

/** The best members of a fuzzy set. Shapes: n ≤ k entities. */
export interface SetsResult extends NeedsTails {
  readonly task: 'sets';
  /** [n], best first, ties to the lower id; with `answersFrom` first what has that degree, then what the facts give, then the others. */
  readonly ids: Int32Array;
  /** [n] in (0, 1]. */
  readonly degrees: Float32Array;
  /** [n], 1 for what the recorded facts give by themselves, else 0. */
  readonly known: Uint8Array;
  /** Of a conjunction what each operand says of `ids`; of other queries none. */
  readonly operands: readonly Pick<SetsResult, 'degrees' | 'known'>[];
}

/** The entities with the highest scores. Shapes: n ≤ k entities. */
export interface EmbeddingResult {
  readonly task: 'embedding';
  /** [n], best first, ties to the lower id. */
  readonly ids: Int32Array;
  /** φ(q, e) [n]. */
  readonly scores: Float32Array;
  /** [n], 1 for what the recorded facts give by themselves, else 0. */
  readonly known: Uint8Array;
  /** S_q [d], where it was asked for. */
  readonly embedding: Float32Array | undefined;
}

/** The whole fuzzy set of a query. */
export interface DegreesResult {
  readonly task: 'degrees';
  /** [|E|] in [0, 1]. */
  readonly degrees: Float32Array;
}

/** The embedding of a query. */
export interface EmbedResult {
  readonly task: 'embed';
  /** S_q [d]. */
  readonly embedding: Float32Array;
}

/** Why entities answer a query. */
export interface ExplainResult extends ReasonedExplanation, NeedsTails {
  readonly task: 'explain';
}

/** What the recorded facts give to a query. */
export interface RecordedResult {
  readonly task: 'recorded';
  /** [n], ascending. */
  readonly ids: Int32Array;
}

/** How chosen entities score. */
export interface ScoreResult {
  readonly task: 'score';
  /** φ(q, e) of the entities that were asked for, in their order [n]. */
  readonly scores: Float32Array;
}

/** The vectors of new entities. */
export interface FoldResult {
  readonly task: 'fold';
  /** p_e [n, d]. */
  readonly vectors: Float32Array;
}

/** The best tuples of a pattern. */
export interface PatternResult extends FoundPattern {
  readonly task: 'pattern';
}

/** What a ranker gives. Arrays belong to the caller. */
export type RankResult =
  | SetsResult
  | EmbeddingResult
  | PatternResult
  | DegreesResult
  | EmbedResult
  | ExplainResult
  | RecordedResult
  | ScoreResult
  | FoldResult;

/** What a request is answered with. */
export type ResultOf<Request extends RankRequest> = Extract<RankResult, Pick<Request, 'task'>>;

/**
 * Whether an index answers: `ready`; `away`, it did not when it was asked last; `changed`, what is there now is not of this bundle, or
 * not whole; `closed`.
 */
export const indexStates = ['ready', 'away', 'changed', 'closed'] as const;

/** One of `indexStates`. */
export type IndexState = (typeof indexStates)[number];

/**
 * Ranks entities for checked queries, here or elsewhere: all that needs a runtime, and nothing that needs names.
 *
 * Queries that are ranked together do not change each other's results beyond rounding.
 */
export interface Ranker {
  /** The runtime and device in use, for people. */
  readonly runtime: string;
  /** Which graphs embed unless a request says otherwise. */
  readonly plan: PlanChoice;
  /** Whether it takes requests: false once closing has begun, and while nothing is there to answer them. */
  readonly ready: boolean;
  /** How many rows of entities a ranking by an embedding, a link or a set reads at most. Default: those of all. */
  readonly rankedRows?: number;
  /** The index that rankings by embeddings ask, where they do. */
  readonly index?: { readonly name: string; readonly state: IndexState };
  /** Of the fuzzy sets of parts of queries that it keeps, where it does. */
  readonly cache?: CacheCounters;
  /** What it has done, where it counts. */
  readonly counters?: RankerCounters;
  /** Tells what it does from now on, where it counts; the function that comes back ends that. */
  observe?(observer: RankerObserver): () => void;
  /**
   * Why a caller's next request would be refused, before anyone has read it, where there is a queue; undefined where it would not.
   * A refusal counts: the caller is told.
   */
  refusalOf?(caller: unknown): FuzzError | undefined;
  /**
   * The results of some requests, of whichever kinds, in their order.
   *
   * @throws FuzzError `runtime`: a graph fails, or the ranker is closed. `interrupted`: the signal. `deadline`: it passed.
   */
  rank<Request extends RankRequest>(
    batch: readonly Request[],
    limits?: CallLimits,
  ): Promise<ResultOf<Request>[]>;
  /** Answers by changed facts from now on; requests of kept epochs are answered by the facts of these. Default: facts stay as opened. */
  follow?(facts: FactsEpoch): Promise<void>;
  /** Opens the graphs of a mode, or of both, now instead of when first needed. */
  warmUp(mode?: AnswerMode): Promise<void>;
  /** Refuses new requests, waits for those under way and frees what the graphs hold. */
  close(): Promise<void>;
}
