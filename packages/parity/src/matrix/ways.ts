import {
  type Comparison,
  compareCase,
  compareNumbers,
  compareRanking,
  isCombined,
  type ParityTolerances,
  type Profile,
  type Ranked,
} from '@fuzzqe/bundle';
import { type Pattern, planPattern, type Query } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import { type AnswerMode, type PlanKind, planKinds } from '@fuzzqe/engine';
import { mostTuples } from '../cases/draw-patterns.ts';
import type { ParityCase } from '../cases/parity-case.ts';
import type { Answerer } from '../runtimes/runtime.ts';

/**
 * How a query is asked: ranked by its embedding from each kind of plan, ranked without what the facts give, answered by
 * its fuzzy set, or by the best of that set alone; a pattern is asked for its best tuples.
 */
export type AskedBy = PlanKind | 'exclusion' | SetsWay;
type SetsWay = 'sets' | 'best' | 'pattern';
const askedWays: readonly AskedBy[] = [...planKinds, 'exclusion', 'sets', 'best', 'pattern'];

/** The ways that answers of a profile are compared in: combined, operators embed every query. */
export function askedWaysOf(profile: Profile): readonly AskedBy[] {
  const absent: readonly AskedBy[] = ['structure', 'program', 'edge'];
  return isCombined(profile) ? askedWays.filter((by) => !absent.includes(by)) : askedWays;
}

/** The mode that a way asks in. */
export function modeOf(by: AskedBy): AnswerMode {
  return by === 'sets' || by === 'best' || by === 'pattern' ? 'sets' : 'embedding';
}

/** One answer next to what was expected. */
export interface Found {
  /** Why it is not the expected one; undefined where it is. */
  readonly failure: string | undefined;
  readonly numbers: Readonly<Partial<Record<keyof ParityTolerances, Comparison>>>;
  /** The same entities in the same order outside ties. */
  readonly sameRanking: boolean;
  readonly ranked: Ranked;
}

/** Judges the answers to some cases. */
export type Judge = (entry: ParityCase, tolerances: ParityTolerances) => Found;

/** Whether a case is asked in a way. */
export function isAsked({ kind, structure, expected }: ParityCase, by: AskedBy): boolean {
  if ((kind === 'pattern') !== (by === 'pattern')) return false;
  switch (by) {
    case 'exclusion':
      return expected.open !== undefined;
    case 'sets':
    case 'best':
    case 'pattern':
      return expected.set !== undefined;
    default:
      return structure !== null || by === 'operators';
  }
}

/** Asks for the answers to cases, and gives for each what judges its answer. */
export async function ask(
  answerer: Pick<Answerer, 'rank' | 'degrees' | 'best' | 'match'>,
  cases: readonly ParityCase[],
  by: AskedBy,
): Promise<Judge[]> {
  if (by === 'pattern') {
    const plans = cases.map(({ query }) => planPattern(query as Pattern)); // isAsked
    return (await answerer.match(plans, mostTuples)).map(judgeBest);
  }
  const queries = cases.map(({ query }) => query as Query); // isAsked
  const k = cases[0]!.expected.ids.length;
  if (by === 'sets') return (await answerer.degrees(queries)).map(judgeSet);
  if (by === 'best') return (await answerer.best(queries, k)).map(judgeBest);
  if (by !== 'exclusion') return (await answerer.rank(queries, { k, plan: by })).map(judgeRanking);
  const answers = await answerer.rank(queries, { k, plan: 'structure', exclude: 'known' });
  return answers.map((ranked) => ({ expected }, { score }) => {
    const { failure, score: compared } = compareRanking(ranked, expected.open!, score);
    return { failure, numbers: { score: compared }, sameRanking: failure === undefined, ranked };
  });
}

/** By which kind of plan a way makes embeddings. */
export function planOf(by: Exclude<AskedBy, SetsWay>, profile: Profile): PlanKind {
  if (isCombined(profile)) return 'operators';
  return by === 'exclusion' ? 'structure' : by;
}

function judgeRanking(ranked: Awaited<ReturnType<Answerer['rank']>>[number]): Judge {
  return ({ expected }, tolerances) => {
    const { failure, embedding, score, sameRanking } = compareCase(ranked, expected, tolerances);
    return { failure, numbers: { embedding, score }, sameRanking, ranked };
  };
}

function judgeSet(degrees: Float32Array): Judge {
  return ({ expected: { set } }, { degree }) => {
    const { ids, scores, degrees: all } = set!; // a case without a set is not asked for one
    // What is no set has no best, and differs.
    const isSet = degrees.length >= ids.length && !degrees.some(Number.isNaN);
    const ranked = isSet ? topK(degrees, ids.length) : { ids: [], scores: [] };
    const ranking = compareRanking(ranked, { ids, scores }, degree, 'degree');
    // The best are not all: what is wrong may stand below them.
    const whole = all === undefined ? ranking.score : compareNumbers(degrees, all, degree);
    const failure = ranking.failure ?? (whole.failure === undefined ? undefined : `degree ${whole.failure}`);
    // A set may be empty but for rounding: its numbers are next to 1, the largest degree that there is.
    const besideOne = { ...whole, relative: whole.absolute };
    return { failure, numbers: { degree: besideOne }, sameRanking: ranking.failure === undefined, ranked };
  };
}

function judgeBest({ ids, scores }: Ranked): Judge {
  return ({ expected }, { degree }) => {
    const set = expected.set!; // a case without a set is not asked for its best
    // Where fewer are given than expected, the others have no degree above 0; so may an entity that was expected there.
    const missing = Array.from(set.ids).slice(ids.length);
    const ranked = {
      ids: [...Array.from(ids), ...missing],
      scores: [...Array.from(scores), ...missing.map(() => 0)],
    };
    const { failure, score } = compareRanking(ranked, set, degree, 'degree');
    const besideOne = { ...score, relative: score.absolute };
    return { failure, numbers: { degree: besideOne }, sameRanking: failure === undefined, ranked };
  };
}
