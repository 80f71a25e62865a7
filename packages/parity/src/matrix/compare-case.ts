import { compareNumbers, compareRankings, type ParityTolerances } from '@fuzzqe/engine';
import type { ParityCase } from '../cases/parity-case.ts';
import type { RankedAnswer } from '../cases/ranked-answer.ts';
import { overlap, rankBiasedOverlap } from './overlap.ts';

/** How far numbers are apart, and at which element most. */
export interface Gap {
  readonly absolute: number;
  /** Of the largest number of the expected vector. */
  readonly relative: number;
  readonly element: number;
}

/** How one answer compares with what was expected. */
export interface CaseComparison {
  /** Why it is not the expected one; undefined where it is. */
  readonly failure: string | undefined;
  readonly embedding: Gap;
  readonly score: Gap;
  readonly sameRanking: boolean;
}

/** Compares one answer: embedding, scores, and the order of entities outside ties. */
export function compareCase(
  actual: RankedAnswer,
  { expected }: Pick<ParityCase, 'expected'>,
  tolerances: ParityTolerances,
): CaseComparison {
  const embedding = compareNumbers(actual.embedding, expected.embedding, tolerances.embedding);
  const ranking = compareRankings(actual, expected, tolerances.score);
  return {
    failure: embedding.passed ? ranking.failure : `embedding ${embedding.failure}`,
    embedding: gapOf(actual.embedding, expected.embedding),
    score: gapOf(actual.scores, expected.scores),
    sameRanking: ranking.passed,
  };
}

/** How two rankings of equal length overlap. */
export function besideOf(
  actual: RankedAnswer,
  expected: RankedAnswer,
): { readonly overlap10: number; readonly rbo: number } {
  return {
    overlap10: overlap(actual.ids, expected.ids),
    rbo: rankBiasedOverlap(actual.ids, expected.ids),
  };
}

function gapOf(actual: ArrayLike<number>, expected: ArrayLike<number>): Gap {
  let [absolute, element, largest] = [0, 0, 0];
  for (let i = 0; i < expected.length; i += 1) {
    const difference = Math.abs(actual[i]! - expected[i]!);
    largest = Math.max(largest, Math.abs(expected[i]!));
    // What is no number differs without bound.
    if (!(difference <= absolute)) {
      absolute = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
      element = i;
    }
  }
  return { absolute, element, relative: absolute === 0 ? 0 : absolute / largest };
}
