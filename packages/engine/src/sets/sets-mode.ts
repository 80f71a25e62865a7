import { matchStructure, nodesOf, type Query } from '@fuzzqe/core/query';
import {
  type AnswerSet,
  type ArrayPool,
  answerSets,
  bestAnswers,
  createArrayPool,
  type SetsState,
  type WantedAnswers,
} from '@fuzzqe/core/sets';
import type { LinkState } from '@fuzzqe/evidence';
import type { PlanSummary } from '../embedding/plan.ts';
import { chunksOf } from '../sessions/tensor-values.ts';

/**
 * Answers queries by fuzzy sets.
 *
 * With `wanted`, which has one for each query, sets may lack the degrees of what is no wanted answer. `read` makes of the answer to each
 * query what is given for it, which is to hold none of its arrays: they serve other queries.
 */
export type SetsMode = <T>(
  queries: readonly Query[],
  wanted: readonly WantedAnswers[] | undefined,
  read: (answer: AnswerSet, place: number) => T,
) => Promise<T[]>;

/** Makes the sets mode of a graph; `graph` is what its links follow from. */
export type CreateSetsMode = (
  state: SetsState,
  together: number,
  pool: ArrayPool,
  graph: LinkState,
) => SetsMode;

/** How many numbers of arrays are kept for later queries: 8 MB, of which a Worker may have 128. */
export const mostKept: number = 2 ** 21;

/** The sets mode of a graph, which plans so many queries together. */
export function createSetsMode(
  state: SetsState,
  together: number,
  pool: ArrayPool = createArrayPool(mostKept),
): SetsMode {
  return async <T>(
    queries: readonly Query[],
    wanted: readonly WantedAnswers[] | undefined,
    read: (answer: AnswerSet, place: number) => T,
  ) => {
    const found: T[] = [];
    for (const chunk of chunksOf(queries, together))
      await pool.during(async (arrays) => {
        const first = found.length;
        const answers =
          wanted === undefined
            ? await answerSets({ ...state, arrays }, chunk)
            : await bestAnswers({ ...state, arrays }, chunk, wanted.slice(first, first + chunk.length));
        answers.forEach((answer, i) => {
          found.push(read(answer, first + i));
        });
      });
    return found;
  };
}

/** Says what answering a query by fuzzy sets takes at most. */
export function summariseSets(query: Query): PlanSummary {
  const links = nodesOf(query).filter(({ op }) => op === 'project').length;
  return { kind: 'sets', structure: matchStructure(query)?.structure.name ?? null, graphs: { links } };
}
