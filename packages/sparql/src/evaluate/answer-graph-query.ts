import type { TimeLimit } from '@fuzzqe/api';
import type { Engine } from '@fuzzqe/engine';
import type { Query } from '@traqula/rules-sparql-1-1';
import { recordedPaths } from '../meaning/recorded-paths.ts';
import type { SparqlResult } from '../results/sparql-result.ts';
import { type Evaluate, evaluate } from './evaluate.ts';
import { createGraphSource } from './graph-source.ts';
import { createBudget } from './query-budget.ts';

/** How a query over the graph is answered. */
export interface GraphAnswerOptions {
  /** The lowest degree of a predicted link; undefined: recorded facts only. */
  readonly minDegree: number | undefined;
  /** The most predicted links of an entity and relation; a query has at most ten times as many rows. */
  readonly maxK: number;
  /** The most milliseconds of one core. */
  readonly costLimit: number;
  readonly limits: Partial<TimeLimit>;
  /** Default: here. */
  readonly evaluate?: Evaluate;
}

/** What a query over the graph came to. */
export interface GraphAnswer {
  readonly result: SparqlResult;
  /** Milliseconds of one core, by the model of costs. */
  readonly cost: number;
  /** What the reader should know, as `code: text`. */
  readonly warnings: readonly string[];
}

/**
 * Answers a query by the algebra of SPARQL 1.1, in the graph of the recorded facts and of the links of a degree of `minDegree` or more.
 *
 * @param query with whole IRIs: `resolveNames`.
 * @throws FuzzError `cost`, `range`, `interrupted`, `deadline`: the limits. `query`: what the engine cannot do. As `engine.answer`.
 */
export async function answerGraphQuery(
  engine: Engine,
  query: Query,
  { minDegree, maxK, costLimit, limits, evaluate: run = evaluate }: GraphAnswerOptions,
): Promise<GraphAnswer> {
  const budget = createBudget(costLimit);
  const source = createGraphSource(engine, { minDegree, most: maxK, limits, budget });
  const result = await run(recordedPaths(query), source, { most: 10 * maxK, limits });
  return { result, cost: budget.spent, warnings: source.isPartial ? [partial] : [] };
}

const partial =
  'recorded-only: a pattern without a known entity or relation, or a path of any length, was answered by recorded facts';
